package ledger

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// Run writes queued entries until ctx ends. Each group holds what arrived while the one before
// was written. After ctx it writes the rest and marks the epoch as ended in order. An error
// means that the ledger stopped for good, or that something could not be written at the end;
// the process should exit, and the next opening is one after a crash.
func (l *Ledger) Run(ctx context.Context, ready func()) error {
	ready()
	work := context.WithoutCancel(ctx)
	l.ending = ctx.Done()
	head := time.NewTicker(l.opt.HeadEvery)
	defer head.Stop()
	for {
		var again <-chan time.Time
		if l.hasRequests() { // entries that arrive from here on are waited for as well
			l.waitForMore(ctx)
			group := l.takeGroup()
			if len(group) == 0 {
				continue // their callers left
			}
			kept, err := l.write(work, group)
			if err != nil {
				return l.stop(err)
			}
			if !kept {
				continue
			}
			again = time.After(l.opt.Retry)
		}
		select {
		case <-l.wake:
		case <-again:
		case <-head.C:
			l.compare()
			l.watchHead()
			l.storeMark()
		case <-ctx.Done():
			return l.close(work)
		}
	}
}

// compare has an idle ledger notice, too, that its database lost commits: each group compares the database
// with what this process wrote last.
func (l *Ledger) compare() {
	nothing := func(context.Context, *group) error { return nil }
	l.enqueueAsync(&request{op: "compare the ledger", exclusive: true, do: nothing})
}

// waitForMore delays asynchronous entries a little, so that a bill and the payment after it
// share a commit. It ends at once when a caller waits, when there are many, or when ctx ends.
func (l *Ledger) waitForMore(ctx context.Context) {
	if l.opt.GroupWait <= 0 || !l.onlyAsync() {
		return
	}
	timer := time.NewTimer(l.opt.GroupWait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.flushNow:
	case <-ctx.Done():
	}
}

// write commits a group and answers its callers. kept: some of it could not be written and is
// retried. An error stops the ledger. If one entry makes a group fail, each is written alone,
// so that it affects no other.
func (l *Ledger) write(ctx context.Context, requests []*request) (kept bool, err error) {
	v, err := l.commit(ctx, requests)
	if v != retryApart {
		return l.handleUnwritten(requests, v, err)
	}
	for i := range requests {
		switch v, err := l.commit(ctx, requests[i:i+1]); v {
		case written:
		case retryApart:
			l.refuseEntry(requests[i], err)
		default:
			return l.handleUnwritten(requests[i:], v, err)
		}
	}
	return false, nil
}

// handleUnwritten handles requests that were not written.
func (l *Ledger) handleUnwritten(requests []*request, v outcome, err error) (kept bool, _ error) {
	switch v {
	case retryLater:
		l.keepForRetry(requests, err)
		return true, nil
	case fatal:
		answerWaiting(requests, err)
		return false, err
	}
	return false, nil
}

// stop ends the ledger for good.
func (l *Ledger) stop(why error) error {
	l.closeQueue(why)
	return why
}

// markEnded marks the epoch as ended in order, if the database is as this process left it: a
// database that was reset to an older state lost tickets, and must not continue under the same
// secret.
func (l *Ledger) markEnded(ctx context.Context) (rows int64, err error) {
	ctx, cancel := l.withTxTimeout(ctx)
	defer cancel()
	done, err := l.db.ExecContext(ctx, `UPDATE ledger_epoch SET state = ?, ended = ? WHERE id = ? AND state IN (?, ?)
		AND EXISTS (SELECT 1 FROM ledger_state WHERE commits = ?)`,
		epochClean, nanos(l.opt.Now()), int64(l.epoch), epochOpen, epochClean, l.commits)
	if err != nil {
		return 0, err
	}
	return done.RowsAffected()
}

// close writes the rest and marks the epoch as ended in order.
func (l *Ledger) close(ctx context.Context) error {
	const op = "close the ledger"
	for !l.closeIfEmpty(fault.New(fault.LedgerFailed, op, "the ledger was closed")) {
		kept, err := l.write(ctx, l.takeGroup())
		if err != nil {
			return l.stop(err)
		}
		if kept {
			return l.stop(fault.New(l.unwrittenCode(), op, "the last entries could not be written"))
		}
	}
	n, err := l.markEnded(ctx)
	switch {
	case err == nil && n == 0:
		return fault.New(fault.LedgerFailed, op,
			"the database is not at the last commit: it is an older copy, or another process writes it")
	case err == nil:
		l.storeMark()
		return nil
	case l.opt.Full(err):
		return fault.Wrap(fault.LedgerFull, op, err)
	case l.opt.Lost(err):
		return fault.Wrap(fault.StoreUnreachable, op, err)
	}
	return fault.Wrap(fault.LedgerFailed, op, err)
}
