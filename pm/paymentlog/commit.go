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
	// moment is how long results wait for company.
	batchDelay = 100 * time.Millisecond
	// retryAfter is how long they wait after a commit failed.
	retryAfter = time.Second
	// flushTime bounds the last commits after the end was asked for.
	flushTime = 10 * time.Second
)

// Name is the component's name.
func (s *Store) Name() string { return "account of payments" }

// Run writes what is given to the book until ctx ends, and then what still waits.
// What comes together is committed together: a commit costs one flush of the disk.
func (s *Store) Run(ctx context.Context, ready func()) error {
	due := time.NewTimer(0)
	defer due.Stop()
	wait, armed := batchDelay, true
	s.mu.Lock()
	s.running = true
	s.mu.Unlock()
	ready()
	// A commit that has begun is finished whatever ends.
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

// flush writes what waits; from here on nothing is taken.
func (s *Store) flush(ctx context.Context) error {
	s.stop()
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	// Credits go with the first commit: none come any more.
	credits := s.takeCredits()
	for batch := s.takeBatch(maxBatch); len(batch)+len(credits) > 0; batch, credits = s.takeBatch(maxBatch), nil {
		if err := s.write(ctx, batch, credits); err != nil {
			s.answerWaiting(append(batch, s.takeBatch(maxWaiting)...), err)
			return failed("close the account of payments", err)
		}
		s.answerWaiting(batch, nil)
	}
	return nil
}

// commit writes a batch. Where that fails, who waits is told, and results that
// nobody waits for are kept for later.
func (s *Store) commit(ctx context.Context, batch []*entry) error {
	// After the batch was taken: what a payment of it was counted on is there.
	credits := s.takeCredits()
	if len(batch)+len(credits) == 0 {
		return nil
	}
	err := s.write(ctx, batch, credits)
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
	s.requeueCredits(credits)
	return err
}

// answer tells those who wait.
func (s *Store) answerWaiting(batch []*entry, err error) {
	for _, e := range batch {
		if e.done != nil {
			e.done <- err
		}
	}
}

// write makes one transaction of a batch.
func (s *Store) write(ctx context.Context, batch []*entry, credits map[string]Credit) error {
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
			_, err = settle.ExecContext(ctx, string(r.State), r.Units, unixNano(r.Settled), int64(e.id))
		}
		if err != nil {
			return err
		}
	}
	if err := writeCredits(ctx, tx, s.opt.Sender, credits); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	s.rows += rows
	return nil
}
