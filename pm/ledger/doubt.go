package ledger

import (
	"context"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// lastTries is how often a database that is gone is asked once more when the node
// ends, whether it has what was written last.
const lastTries = 3

// patiently bounds a transaction: a database elsewhere may neither answer nor refuse.
func (l *Ledger) patiently(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.opt.Patience <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, l.opt.Patience)
}

// slower has fewer requests in the next group, where all of them took too long.
func (l *Ledger) slower() { l.most = max(1, l.most/2) }

// faster has more in the next, where twice as many would have had the time.
func (l *Ledger) faster(took time.Duration) {
	if 4*took < l.opt.Patience {
		l.most = min(groupMost, 2*l.most)
	}
}

// committed says what became of a commit. A database in a file that failed is not
// asked again: what it then reads may not be what is on disk.
func (l *Ledger) committed(ctx context.Context, err error, g *group) (verdict, error) {
	switch {
	case err == nil:
		return written, nil
	case l.opt.Full(err):
		return later, err
	case !l.opt.Lost(err):
		return over, err
	case !g.wrote && g.now == g.was:
		return later, err // there was nothing that could have been written
	}
	return l.doubt(ctx, g, err)
}

// doubt asks until the database tells whether it has a group. Whoever waits for that
// group waits on, as nothing else would be true; whoever comes meanwhile is refused.
// The connection that asks has the book's lock, so that the one before has ended, and
// with it the commit.
func (l *Ledger) doubt(ctx context.Context, g *group, why error) (verdict, error) {
	tick := time.NewTicker(l.opt.Retry)
	defer tick.Stop()
	for tries := 0; ; {
		now, err := l.present(ctx)
		switch {
		case err == nil && now.commits == g.was.commits+1 && now.last == g.now.last:
			return written, nil
		case err == nil && now.commits == g.was.commits && now.last == g.was.last:
			return later, why
		case err == nil:
			return over, fault.New(fault.LedgerFailed, "ask for the last commit", fmt.Sprintf("the books are at %d, and should be at %d or one more", now.commits, g.was.commits))
		case !l.opt.Lost(err) && !l.opt.Passing(err):
			return over, err
		}
		l.turnAway(fault.Wrap(fault.StoreUnreachable, "write the ledger", err))
		select {
		case <-l.ending:
			if tries++; tries >= lastTries {
				return over, err
			}
			<-tick.C
		case <-tick.C:
		}
	}
}

// present is the books' state as the database has it now, and keeps it. Where commits
// wait for a standby, one whose connection was lost may be seen and not be there yet;
// a later one waits for all before it.
func (l *Ledger) present(ctx context.Context) (c current, err error) {
	ctx, cancel := l.patiently(ctx)
	defer cancel()
	tx, err := l.db.BeginTx(ctx, nil)
	if err != nil {
		return c, err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	if _, err := tx.ExecContext(ctx, `UPDATE ledger_state SET last = last`); err != nil {
		return c, err
	}
	if c, err = readCurrent(ctx, tx); err != nil {
		return c, err
	}
	return c, tx.Commit()
}

// turnAway refuses everybody who waits for what no group has taken yet.
func (l *Ledger) turnAway(why error) {
	l.opt.Board.Report(health.Key{Code: fault.StoreUnreachable}, why)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.queue {
		r.taken = true
	}
	l.kept = append(l.kept, answer(l.queue, why)...)
	l.queue = nil
}

// code names why nothing was written that may be written another time.
func (l *Ledger) code(err error) fault.Code {
	if l.opt.Lost(err) {
		return fault.StoreUnreachable
	}
	return fault.LedgerFull
}

// withheld is why the last entries were not written, where nobody said more.
func (l *Ledger) withheld() fault.Code {
	if l.shared {
		return fault.StoreUnreachable
	}
	return fault.LedgerFull
}
