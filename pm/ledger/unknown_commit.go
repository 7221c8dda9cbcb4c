package ledger

import (
	"context"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// maxFinalTries is how often an unreachable database is queried during the shutdown whether it
// has the last commit.
const maxFinalTries = 3

// resolveUnknownCommit asks the database until it knows whether the group was committed. The
// callers of that group keep waiting; new callers are refused. The connection that asks holds
// the book's lock, so the previous connection has ended, and its commit with it.
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
			return fatal, fault.New(fault.LedgerFailed, "ask for the last commit",
				fmt.Sprintf("the books are at %d, and should be at %d or one more", now.commits, g.was.commits))
		case !l.opt.Lost(err) && !l.opt.Transient(err):
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

// readBack reads the ledger's present state and writes it unchanged. Where commits wait for a
// standby, a commit whose connection was lost may be visible but not yet replicated; a later
// commit waits for all before it.
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

// refuseQueued refuses all callers whose requests no group has taken yet.
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
