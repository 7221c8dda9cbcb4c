package paymentlog

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

const (
	// maxBatch bounds the entries of one commit.
	maxBatch = 512
	// batchDelay is how long results wait for a common commit.
	batchDelay = 100 * time.Millisecond
	// retryAfter is the pause after a failed commit.
	retryAfter = time.Second
	// flushTime bounds the last commits after ctx ended.
	flushTime = 10 * time.Second
)

// Name returns the component's name.
func (s *Store) Name() string { return "account of payments" }

// Run writes queued entries until ctx ends, and then the rest. Entries that arrive together
// share a commit, which costs one disk flush.
func (s *Store) Run(ctx context.Context, ready func()) error {
	due := time.NewTimer(0)
	defer due.Stop()
	wait, armed := batchDelay, true
	s.mu.Lock()
	s.running = true
	s.mu.Unlock()
	ready()
	// A commit that has begun is not canceled.
	work := context.WithoutCancel(ctx)
	commit := func() {
		wait = batchDelay
		if s.commit(work, s.takeBatch(maxBatch)) != nil {
			wait = retryAfter
		}
		s.fold(work)
	}
	for {
		select {
		case <-s.wake:
			commit()
		case <-s.later:
			if !armed {
				due.Reset(wait)
				armed = true
			}
		case <-due.C:
			armed = false
			commit()
		case <-ctx.Done():
			return s.flush(work)
		}
	}
}

// flush writes the rest; new entries are refused from here on.
func (s *Store) flush(ctx context.Context) error {
	s.stop()
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	// Credits and what was written off go with the first commit: no more arrive.
	changed := s.takeChanges()
	for batch := s.takeBatch(maxBatch); len(batch)+changed.len() > 0; batch, changed = s.takeBatch(maxBatch), (changes{}) {
		if err := s.write(ctx, batch, changed); err != nil {
			s.answerWaiting(append(batch, s.takeBatch(maxWaiting)...), err)
			return failed("close the account of payments", err)
		}
		s.answerWaiting(batch, nil)
	}
	return nil
}

// commit writes a batch. If that fails, waiting callers get the error, and results without a
// caller are queued again.
func (s *Store) commit(ctx context.Context, batch []*entry) error {
	// Taken after the batch, so that the credits of its payments are included.
	changed := s.takeChanges()
	if len(batch)+changed.len() == 0 {
		return nil
	}
	err := s.write(ctx, batch, changed)
	if s.opt.Board != nil {
		s.opt.Board.Report(health.Key{Code: fault.SpentFailed}, failed("write down payments", err))
	}
	s.answerWaiting(batch, err)
	if err == nil {
		return nil
	}
	var later []*entry
	for _, e := range batch {
		if e.done == nil {
			later = append(later, e)
		}
	}
	s.requeue(later)
	s.requeueChanges(changed)
	return err
}

// answerWaiting sends the outcome to the waiting callers.
func (s *Store) answerWaiting(batch []*entry, err error) {
	for _, e := range batch {
		if e.done != nil {
			e.done <- err
		}
	}
}

// write writes a batch in one database transaction.
func (s *Store) write(ctx context.Context, batch []*entry, changed changes) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	insert, settle := tx.StmtContext(ctx, s.insert), tx.StmtContext(ctx, s.settle)
	rows := 0
	for _, e := range batch {
		switch r := &e.result; {
		case e.payment != nil:
			rows++
			_, err = insert.ExecContext(ctx, values(s.opt.Sender, e.payment)...)
		case e.id != 0:
			_, err = settle.ExecContext(ctx, string(r.State), r.Units, unixNano(r.Settled),
				r.Lost.Rat().RatString(), r.Charged.String(), int64(e.id))
		}
		if err != nil {
			return err
		}
	}
	if err := writeCredits(ctx, tx, tx.StmtContext(ctx, s.keep), s.opt.Sender, changed.credits); err != nil {
		return err
	}
	if err := addWriteOffs(ctx, tx, s.opt.Sender, changed.writeOffs); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	s.rows += rows
	return nil
}
