package ledger

import (
	"context"
	"errors"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// verdict is what became of a group.
type verdict int

const (
	written verdict = iota
	// later: nothing was written, and the same may be written another time.
	later
	// apart: nothing was written, and what one of its entries met in the books is
	// why.
	apart
	// over: nobody knows, or nothing can be written any more.
	over
)

// commit writes a group in one transaction and answers those whose entries are on
// disk or were refused. What fails before the commit did not happen, and neither did
// a commit for which there was no room: SQLite writes the frame that makes it one
// last, and that did not fit. Of any other failed commit nobody knows.
func (l *Ledger) commit(ctx context.Context, requests []*request) (verdict, error) {
	not, v, err := l.transact(ctx, requests)
	l.report(v, err)
	if v == written {
		l.wrote(requests, not)
	}
	return v, err
}

func (l *Ledger) transact(ctx context.Context, requests []*request) (not map[*request]error, _ verdict, _ error) {
	const op = "write the ledger"
	limited, cancel := l.patiently(ctx)
	defer cancel()
	began := time.Now()
	tx, err := l.db.BeginTx(limited, nil)
	if err != nil {
		v := l.outcome(err)
		if v == apart {
			v = later // no entry is the reason
		}
		return nil, v, l.wrap(v, op, err)
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	g, err := l.group(limited, tx)
	if err != nil {
		v := l.outcome(err)
		if v == apart {
			v = over // the books' state itself cannot be read
		}
		return nil, v, l.wrap(v, op, err)
	}
	if not, err = fill(limited, g, requests); err != nil {
		v := l.outcome(err)
		if limited.Err() != nil {
			v = later // the time was over, whatever a driver makes of that
			l.slower()
		}
		return nil, v, l.wrap(v, op, err)
	}
	l.journal.note(g.now.commits, g.touched, g.anew)
	v, err := l.committed(ctx, tx.Commit(), g)
	switch {
	case v == written:
		l.commits = g.now.commits
		l.faster(time.Since(began))
	case limited.Err() != nil:
		l.slower()
	}
	return not, v, l.wrap(v, op, err)
}

// outcome says what an error before a commit means.
func (l *Ledger) outcome(err error) verdict {
	switch {
	case fault.CodeOf(err) == fault.LedgerFailed, l.opt.Damaged(err):
		return over
	case l.opt.Full(err), l.opt.Passing(err), l.opt.Lost(err):
		return later
	}
	return apart
}

// wrap names an error by what it means.
func (l *Ledger) wrap(v verdict, op string, err error) error {
	switch v {
	case written:
		return nil
	case later:
		return fault.Wrap(l.code(err), op, err)
	case apart:
		return fault.Wrap(fault.LedgerRefused, op, err)
	}
	if fault.CodeOf(err) == fault.LedgerFailed {
		return err
	}
	return fault.Wrap(fault.LedgerFailed, op, err)
}

// fill writes the requests' rows.
func fill(ctx context.Context, g *group, requests []*request) (map[*request]error, error) {
	var not map[*request]error
	for _, r := range requests {
		err := r.do(ctx, g)
		if err == nil {
			continue
		}
		if fault.CodeOf(err) != fault.LedgerRefused {
			return nil, err
		}
		if not == nil {
			not = make(map[*request]error)
		}
		not[r] = err
	}
	return not, g.flush(ctx)
}

// report tells the health board how the last write went.
func (l *Ledger) report(v verdict, err error) {
	switch v {
	case over:
		l.opt.Board.Report(health.Key{Code: fault.LedgerFailed}, err)
	case later:
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
func (l *Ledger) refuse(r *request, why error) {
	l.opt.Board.Set(health.Key{Code: fault.LedgerDamaged}, r.op+": "+errors.Unwrap(why).Error())
	l.wrote([]*request{r}, map[*request]error{r: why})
}

// wrote answers those who wait for a group, and counts the entries of the others.
func (l *Ledger) wrote(group []*request, not map[*request]error) {
	booked := 0
	for _, r := range group {
		switch why := not[r]; {
		case r.done != nil:
			r.done <- why
			continue
		case why != nil:
			l.opt.Log.Error("entry refused", fault.Attr(why))
		}
		booked++
	}
	l.mu.Lock()
	l.booked -= booked
	l.mu.Unlock()
}
