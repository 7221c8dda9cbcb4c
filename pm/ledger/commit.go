package ledger

import (
	"context"
	"errors"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// verdict is what became of a group.
type outcome int

const (
	written outcome = iota
	// later: nothing was written, and the same may be written another time.
	retryLater
	// apart: nothing was written, and what one of its entries met in the books is
	// why.
	retryApart
	// over: nobody knows, or nothing can be written any more.
	fatal
)

// commit writes a group in one transaction and answers those whose entries are on
// disk or were refused. What fails before the commit did not happen, and neither did
// a commit for which there was no room: SQLite writes the frame that makes it one
// last, and that did not fit. Of any other failed commit nobody knows.
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
			v = retryLater // no entry is the reason
		}
		return nil, v, l.wrap(v, op, err)
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	g, err := l.group(limited, tx)
	if err != nil {
		v := l.classify(err)
		if v == retryApart {
			v = fatal // the books' state itself cannot be read
		}
		return nil, v, l.wrap(v, op, err)
	}
	if refusals, err = writeRows(limited, g, requests); err != nil {
		v := l.classify(err)
		if limited.Err() != nil {
			v = retryLater // the time was over, whatever a driver makes of that
			l.shrinkGroups()
		}
		return nil, v, l.wrap(v, op, err)
	}
	l.journal.record(g.now.commits, g.touched, g.totalsChanged)
	v, err := l.classifyCommit(ctx, tx.Commit(), g)
	switch {
	case v == written:
		l.commits = g.now.commits
		l.growGroups(time.Since(began))
	case limited.Err() != nil:
		l.shrinkGroups()
	}
	return refusals, v, l.wrap(v, op, err)
}

// outcome says what an error before a commit means.
func (l *Ledger) classify(err error) outcome {
	switch {
	case fault.CodeOf(err) == fault.LedgerFailed, l.opt.Damaged(err):
		return fatal
	case l.opt.Full(err), l.opt.Passing(err), l.opt.Lost(err):
		return retryLater
	}
	return retryApart
}

// wrap names an error by what it means.
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

// fill writes the requests' rows.
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

// report tells the health board how the last write went.
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

// refuse gives up an entry that cannot be written though others can: what it touches
// in the books is damaged. Those who wait are told as of an entry that contradicts
// the books, and the operator until the next start.
func (l *Ledger) refuseEntry(r *request, why error) {
	l.opt.Board.Set(health.Key{Code: fault.LedgerDamaged}, r.op+": "+errors.Unwrap(why).Error())
	l.answerGroup([]*request{r}, map[*request]error{r: why})
}

// wrote answers those who wait for a group, and counts the entries of the others.
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

// patiently bounds a transaction: a database elsewhere may neither answer nor refuse.
func (l *Ledger) withTxTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.opt.TxTimeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, l.opt.TxTimeout)
}

// slower has fewer requests in the next group, where all of them took too long.
func (l *Ledger) shrinkGroups() { l.groupLimit = max(1, l.groupLimit/2) }

// faster has more in the next, where twice as many would have had the time.
func (l *Ledger) growGroups(took time.Duration) {
	if 4*took < l.opt.TxTimeout {
		l.groupLimit = min(maxGroupRequests, 2*l.groupLimit)
	}
}

// committed says what became of a commit. A database in a file that failed is not
// asked again: what it then reads may not be what is on disk.
func (l *Ledger) classifyCommit(ctx context.Context, err error, g *group) (outcome, error) {
	switch {
	case err == nil:
		return written, nil
	case l.opt.Full(err):
		return retryLater, err
	case !l.opt.Lost(err):
		return fatal, err
	case !g.wrote && g.now == g.was:
		return retryLater, err // there was nothing that could have been written
	}
	return l.resolveUnknownCommit(ctx, g, err)
}

// code names why nothing was written that may be written another time.
func (l *Ledger) faultCode(err error) fault.Code {
	if l.opt.Lost(err) {
		return fault.StoreUnreachable
	}
	return fault.LedgerFull
}

// withheld is why the last entries were not written, where nobody said more.
func (l *Ledger) unwrittenCode() fault.Code {
	if l.shared {
		return fault.StoreUnreachable
	}
	return fault.LedgerFull
}
