package paymentlog

import (
	"context"
	"database/sql"
	"errors"

	"github.com/tuttinode/tutti/core/fault"
)

// foldStep is how many payments are summed up between two commits, so that no payment waits
// long for it.
const foldStep = 100

// fold turns the oldest payments into sums while more than Keep are stored. It skips its turn
// while a report reads.
func (s *Store) fold(ctx context.Context) {
	if s.rows <= s.opt.Keep || !s.folding.TryLock() {
		return
	}
	defer s.folding.Unlock()
	if err := s.foldOldest(ctx); err != nil {
		s.opt.Log.Warn("payments could not be summed up", fault.Attr(failed("sum up payments", err)))
	}
}

// foldable reads the oldest payments whose result is known, or will never be: a job does not
// last for a day.
func (s *Store) foldable(ctx context.Context, most int) ([]Payment, error) {
	return s.query(ctx, `SELECT `+columns+` FROM spent_payment WHERE sender = ? AND (state <> ? OR at < ?)
		ORDER BY id LIMIT ?`,
		s.opt.Sender[:], string(Sent), unixNano(s.opt.Now().Add(-recently)), most)
}

func (s *Store) foldOldest(ctx context.Context) error {
	page, err := s.foldable(ctx, foldStep)
	if err != nil || len(page) == 0 {
		return err
	}
	sums := make(map[Group]*Total)
	var done []ID
	for i := range page {
		p := &page[i]
		done = append(done, p.ID)
		t := totalOf(p)
		if sums[t.Group] == nil {
			sums[t.Group] = &Total{Group: t.Group}
		}
		sums[t.Group].add(t)
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	for _, t := range sums {
		if err := s.addTotal(ctx, tx, t); err != nil {
			return err
		}
	}
	for _, id := range done {
		if _, err := tx.ExecContext(ctx, `DELETE FROM spent_payment WHERE id = ?`, int64(id)); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	s.rows -= len(done)
	return nil
}

// addTotal adds to a stored sum.
func (s *Store) addTotal(ctx context.Context, tx *sql.Tx, t *Total) error {
	sum := *t
	rows, err := tx.QueryContext(ctx, `SELECT day, recipient, pipeline, model, payments, tickets, value, open, units,
		billed, cost, charged
		FROM spent_total WHERE sender = ? AND day = ? AND recipient = ? AND pipeline = ? AND model = ?`,
		s.opt.Sender[:], t.Day, t.Recipient[:], t.Pipeline, t.Model)
	if err != nil {
		return err
	}
	for rows.Next() {
		have, err := scanTotal(rows)
		if err != nil {
			_ = rows.Close()
			return err
		}
		sum.add(&have)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT OR REPLACE INTO spent_total
		(sender, day, recipient, pipeline, model, payments, tickets, value, open, units, billed, cost, charged)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		s.opt.Sender[:], sum.Day, sum.Recipient[:], sum.Pipeline, sum.Model, sum.Payments, sum.Tickets,
		numerator(sum.Value), numerator(sum.Open), sum.Units, sum.Billed.Rat().RatString(),
		sum.Cost.Rat().RatString(), sum.Charged.String())
	return err
}
