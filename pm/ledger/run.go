package ledger

import (
	"context"
	"database/sql"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// Run writes what is booked until ctx ends. Each group is what came while the one
// before was written. When ctx has ended it writes the rest and marks the epoch as
// ended in order. An error says that the ledger stopped for good, or that something
// could not be written at the end; the process should end, and the next opening is
// one after a crash.
func (l *Ledger) Run(ctx context.Context, ready func()) error {
	ready()
	work := context.WithoutCancel(ctx)
	retry := time.NewTimer(l.opt.Retry)
	defer retry.Stop()
	for {
		if group := l.take(); len(group) > 0 {
			if err := l.write(work, group); err != nil {
				return l.stop(err)
			}
			if len(l.kept) == 0 {
				continue
			}
		}
		var again <-chan time.Time
		if len(l.kept) > 0 {
			retry.Reset(l.opt.Retry)
			again = retry.C
		}
		select {
		case <-l.wake:
		case <-again:
		case <-ctx.Done():
			return l.end(work)
		}
	}
}

// write commits a group and answers those who wait. An error stops the ledger.
func (l *Ledger) write(ctx context.Context, requests []*request) error {
	not, err, fatal := l.commit(ctx, requests)
	l.report(err, fatal)
	switch {
	case fatal:
		answer(requests, err)
		return err
	case err != nil:
		l.keep(requests, err)
		return nil
	}
	for _, r := range requests {
		switch why := not[r]; {
		case r.done != nil:
			r.done <- why
		case why != nil:
			l.opt.Log.Error("entry refused", fault.Attr(why))
		}
	}
	l.wrote(requests)
	return nil
}

// report tells the health board how the last write went.
func (l *Ledger) report(err error, fatal bool) {
	switch {
	case fatal:
		l.opt.Board.Report(health.Key{Code: fault.LedgerFailed}, err)
	default:
		l.opt.Board.Report(health.Key{Code: fault.LedgerFull}, err)
	}
}

// commit writes a group in one transaction. Requests that were refused have their
// reasons; err is for all. What fails before the commit did not happen, and neither
// did a commit for which there was no room: SQLite writes the frame that makes it
// one last, and that did not fit. Of any other failed commit nobody knows.
func (l *Ledger) commit(ctx context.Context, requests []*request) (not map[*request]error, err error, fatal bool) {
	const op = "write the ledger"
	tx, err := l.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, fault.Wrap(fault.LedgerFull, op, err), false
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	not, err = l.fill(ctx, tx, requests)
	if fault.CodeOf(err) == fault.LedgerFailed {
		return nil, err, true
	}
	if err != nil {
		return nil, fault.Wrap(fault.LedgerFull, op, err), false
	}
	switch err := tx.Commit(); {
	case err == nil:
		return not, nil, false
	case l.opt.Full(err):
		return nil, fault.Wrap(fault.LedgerFull, op, err), false
	default:
		return nil, fault.Wrap(fault.LedgerFailed, op, err), true
	}
}

// fill writes the requests' rows.
func (l *Ledger) fill(ctx context.Context, tx *sql.Tx, requests []*request) (map[*request]error, error) {
	g, err := l.group(ctx, tx)
	if err != nil {
		return nil, err
	}
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

// stop ends the ledger for good.
func (l *Ledger) stop(why error) error {
	l.finish(why)
	return why
}

// end writes the rest and marks the epoch as ended in order.
func (l *Ledger) end(ctx context.Context) error {
	const op = "close the ledger"
	for !l.finished(fault.New(fault.LedgerFailed, op, "the ledger was closed")) {
		if err := l.write(ctx, l.take()); err != nil {
			return l.stop(err)
		}
		if len(l.kept) > 0 {
			return l.stop(fault.New(fault.LedgerFull, op, "the last entries could not be written"))
		}
	}
	_, err := l.db.ExecContext(ctx, `UPDATE ledger_epoch SET state = ?, ended = ? WHERE id = ? AND state = ?`,
		epochClean, nanos(l.opt.Now()), int64(l.epoch), epochOpen)
	switch {
	case err == nil:
		return nil
	case l.opt.Full(err):
		return fault.Wrap(fault.LedgerFull, op, err)
	}
	return fault.Wrap(fault.LedgerFailed, op, err)
}
