package ledger

import (
	"context"
	"errors"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// outcome is what became of a group.
type outcome int

const (
	written outcome = iota
	// retryLater: nothing was written. The same group may be written later.
	retryLater
	// retryApart: nothing was written, because of one entry. Each entry is retried alone.
	retryApart
	// fatal: it is unknown whether the group was written, or nothing can be written any more.
	fatal
)

// commit writes a group in one database transaction and answers the callers whose entries are on disk or
// were refused. What fails before the commit did not happen. A commit that failed for lack of
// disk space did not happen either: SQLite writes the frame that completes it last. After any
// other failed commit the outcome is unknown.
func (l *Ledger) commit(ctx context.Context, requests []*request) (outcome, error) {
	refusals, v, err := l.transact(ctx, requests)
	l.report(v, err)
	if v == written {
		l.answerGroup(requests, refusals)
	}
	return v, err
}

func (l *Ledger) transact(ctx context.Context, requests []*request) (refusals map[*request]error, _ outcome, _ error) {
	const op = "write the ledger"
	limited, cancel := l.withTxTimeout(ctx)
	defer cancel()
	began := time.Now()
	tx, err := l.db.BeginTx(limited, nil)
	if err != nil {
		v := l.classify(err)
		if v == retryApart {
			v = retryLater // no entry caused it
		}
		return nil, v, l.wrap(v, op, err)
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	g, err := l.group(limited, tx)
	if err != nil {
		v := l.classify(err)
		if v == retryApart {
			v = fatal // the ledger's state cannot be read
		}
		return nil, v, l.wrap(v, op, err)
	}
	if refusals, err = writeRows(limited, g, requests); err != nil {
		v := l.classify(err)
		if limited.Err() != nil {
			v = retryLater // the timeout ended it, whatever error the driver returns
			l.shrinkGroups()
		}
		return nil, v, l.wrap(v, op, err)
	}
	l.journal.record(g.now.commits, g.touched, g.totalsChanged)
	v, err := l.classifyCommit(ctx, tx.Commit(), g)
	switch {
	case v == written:
		l.commits = g.now.commits
		l.adopt(g.renewal)
		l.growGroups(time.Since(began))
	case limited.Err() != nil:
		l.shrinkGroups()
	}
	return refusals, v, l.wrap(v, op, err)
}

// classify says what an error before a commit means.
func (l *Ledger) classify(err error) outcome {
	switch {
	case fault.CodeOf(err) == fault.LedgerFailed, l.opt.Damaged(err):
		return fatal
	case l.opt.Full(err), l.opt.Transient(err), l.opt.Lost(err):
		return retryLater
	}
	return retryApart
}

// wrap gives an error the fault code of its outcome.
func (l *Ledger) wrap(v outcome, op string, err error) error {
	switch v {
	case written:
		return nil
	case retryLater:
		return fault.Wrap(l.faultCode(err), op, err)
	case retryApart:
		return fault.Wrap(fault.LedgerRefused, op, err)
	}
	if fault.CodeOf(err) == fault.LedgerFailed {
		return err
	}
	return fault.Wrap(fault.LedgerFailed, op, err)
}

// writeRows writes the requests' rows.
func writeRows(ctx context.Context, g *group, requests []*request) (map[*request]error, error) {
	var refusals map[*request]error
	for _, r := range requests {
		err := r.do(ctx, g)
		if err == nil {
			continue
		}
		if fault.CodeOf(err) != fault.LedgerRefused {
			return nil, err
		}
		if refusals == nil {
			refusals = make(map[*request]error)
		}
		refusals[r] = err
	}
	return refusals, g.flush(ctx)
}

// report updates the health board after a write.
func (l *Ledger) report(v outcome, err error) {
	switch v {
	case fatal:
		l.opt.Board.Report(health.Key{Code: fault.LedgerFailed}, err)
	case retryLater:
		l.opt.Board.Report(health.Key{Code: fault.CodeOf(err)}, err)
	case written:
		l.opt.Board.Clear(health.Key{Code: fault.LedgerFull})
		if l.shared {
			l.opt.Board.Clear(health.Key{Code: fault.StoreUnreachable})
		}
	}
}

// refuseEntry drops an entry that cannot be written although others can: the rows that it
// touches are damaged. Its caller gets the error of an entry that contradicts the ledger. The
// condition stays until the next start.
func (l *Ledger) refuseEntry(r *request, why error) {
	l.opt.Board.Set(health.Key{Code: fault.LedgerDamaged}, r.op+": "+errors.Unwrap(why).Error())
	l.answerGroup([]*request{r}, map[*request]error{r: why})
}

// answerGroup answers the callers that wait for a group, and counts its asynchronous entries.
func (l *Ledger) answerGroup(group []*request, refusals map[*request]error) {
	booked := 0
	for _, r := range group {
		switch why := refusals[r]; {
		case r.done != nil:
			r.done <- why
			continue
		case why != nil:
			l.opt.Log.Error("entry refused", fault.Attr(why))
		}
		booked++
	}
	l.mu.Lock()
	l.asyncCount -= booked
	l.mu.Unlock()
}

// withTxTimeout bounds a transaction: a remote database may neither answer nor refuse.
func (l *Ledger) withTxTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.opt.TxTimeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, l.opt.TxTimeout)
}

// shrinkGroups halves the next group after a timeout.
func (l *Ledger) shrinkGroups() { l.groupLimit = max(1, l.groupLimit/2) }

// growGroups doubles the next group if twice as many requests would have fit into the timeout.
func (l *Ledger) growGroups(took time.Duration) {
	if 4*took < l.opt.TxTimeout {
		l.groupLimit = min(maxGroupRequests, 2*l.groupLimit)
	}
}

// classifyCommit says what became of a commit. A database file that failed is not asked again:
// what it reads then may differ from the disk.
func (l *Ledger) classifyCommit(ctx context.Context, err error, g *group) (outcome, error) {
	switch {
	case err == nil:
		return written, nil
	case l.opt.Full(err):
		return retryLater, err
	case !l.opt.Lost(err):
		return fatal, err
	case !g.wrote && g.now == g.was:
		return retryLater, err // the group had nothing to write
	}
	return l.resolveUnknownCommit(ctx, g, err)
}

// faultCode returns the code of a write that may be retried.
func (l *Ledger) faultCode(err error) fault.Code {
	if l.opt.Lost(err) {
		return fault.StoreUnreachable
	}
	return fault.LedgerFull
}

// unwrittenCode returns the code for last entries that could not be written.
func (l *Ledger) unwrittenCode() fault.Code {
	if l.shared {
		return fault.StoreUnreachable
	}
	return fault.LedgerFull
}
