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
const maxFinalTries = 3

// doubt asks until the database tells whether it has a group. Whoever waits for that
// group waits on, as nothing else would be true; whoever comes meanwhile is refused.
// The connection that asks has the book's lock, so that the one before has ended, and
// with it the commit.
func (l *Ledger) resolveUnknownCommit(ctx context.Context, g *group, why error) (outcome, error) {
	tick := time.NewTicker(l.opt.Retry)
	defer tick.Stop()
	for tries := 0; ; {
		now, err := l.readBack(ctx)
		switch {
		case err == nil && now.commits == g.was.commits+1 && now.last == g.now.last:
			return written, nil
		case err == nil && now.commits == g.was.commits && now.last == g.was.last:
			return retryLater, why
		case err == nil:
			return fatal, fault.New(fault.LedgerFailed, "ask for the last commit", fmt.Sprintf("the books are at %d, and should be at %d or one more", now.commits, g.was.commits))
		case !l.opt.Lost(err) && !l.opt.Passing(err):
			return fatal, err
		}
		l.refuseQueued(fault.Wrap(fault.StoreUnreachable, "write the ledger", err))
		select {
		case <-l.ending:
			if tries++; tries >= maxFinalTries {
				return fatal, err
			}
			<-tick.C
		case <-tick.C:
		}
	}
}

// present is the books' state as the database has it now, and keeps it. Where commits
// wait for a standby, one whose connection was lost may be seen and not be there yet;
// a later one waits for all before it.
func (l *Ledger) readBack(ctx context.Context) (c current, err error) {
	ctx, cancel := l.withTxTimeout(ctx)
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
func (l *Ledger) refuseQueued(why error) {
	l.opt.Board.Report(health.Key{Code: fault.StoreUnreachable}, why)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.queue {
		r.taken = true
	}
	l.retained = append(l.retained, answerWaiting(l.queue, why)...)
	l.queue = nil
}
