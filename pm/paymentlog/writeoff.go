package paymentlog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/pm"
)

// Reason is why a balance at an orchestrator was written off.
type Reason string

// The reasons.
const (
	// Idle: it was unused for so long that the orchestrator closed it.
	Idle Reason = "idle"
	// Short: the orchestrator reports that it holds less than this gateway counted.
	Short Reason = "short"
	// Stopped: the node stopped. Balances of before a start are not used.
	Stopped Reason = "stopped"
)

// WriteOff is what balances of one day held that were written off for one reason. It is below zero where this gateway
// owed more than it held.
type WriteOff struct {
	Day    string
	Reason Reason
	Value  pm.Value
}

// writeOffKey is the key of a sum.
type writeOffKey struct {
	day    string
	reason Reason
}

// changes are what a commit writes besides the payments.
type changes struct {
	credits   map[string]Credit
	writeOffs map[writeOffKey]pm.Value
}

func (c *changes) len() int { return len(c.credits) + len(c.writeOffs) }

// WriteOff queues what a balance held that is not used any more. It does not wait for the disk.
func (s *Store) WriteOff(why Reason, v pm.Value) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped || v.Sign() == 0 {
		return
	}
	s.addWriteOffLocked(writeOffKey{Day(s.opt.Now()), why}, v)
	wake(s.later)
}

func (s *Store) addWriteOffLocked(k writeOffKey, v pm.Value) {
	if s.writeOffs == nil {
		s.writeOffs = make(map[writeOffKey]pm.Value)
	}
	s.writeOffs[k] = s.writeOffs[k].Add(v)
}

// takeChanges returns what waits to be written besides the payments.
func (s *Store) takeChanges() (c changes) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.credits) > 0 {
		c.credits = s.credits
		s.credits = make(map[string]Credit)
	}
	c.writeOffs, s.writeOffs = s.writeOffs, nil
	return c
}

// requeueChanges puts back what could not be written, except credits that have changed since.
func (s *Store) requeueChanges(failed changes) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for payee, c := range failed.credits {
		if _, newer := s.credits[payee]; !newer {
			s.credits[payee] = c
		}
	}
	for k, v := range failed.writeOffs {
		s.addWriteOffLocked(k, v)
	}
	if len(s.credits)+len(s.writeOffs) > 0 {
		wake(s.later)
	}
}

// addWriteOffs adds to the stored sums in the transaction of a commit.
func addWriteOffs(ctx context.Context, tx *sql.Tx, sender core.Address, more map[writeOffKey]pm.Value) error {
	for k, v := range more {
		var text string
		err := tx.QueryRowContext(ctx, `SELECT value FROM spent_writeoff WHERE sender = ? AND day = ? AND reason = ?`,
			sender[:], k.day, string(k.reason)).Scan(&text)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		have, err := valueOf(text)
		if err != nil {
			return fmt.Errorf("what was written off on %s: %w", k.day, err)
		}
		if _, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO spent_writeoff (sender, day, reason, value)
			VALUES (?, ?, ?, ?)`, sender[:], k.day, string(k.reason), have.Add(v).Rat().RatString()); err != nil {
			return err
		}
	}
	return nil
}

// WriteOffs lists what was written off, by day and reason.
func (s *Store) WriteOffs(ctx context.Context) (out []WriteOff, err error) {
	const op = "read what was written off"
	if err := s.Flush(ctx); err != nil {
		return nil, err
	}
	rows, err := s.db.QueryContext(ctx, `SELECT day, reason, value FROM spent_writeoff WHERE sender = ?
		ORDER BY day, reason`, s.opt.Sender[:])
	if err != nil {
		return nil, failed(op, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var w WriteOff
		var text string
		if err := rows.Scan(&w.Day, &w.Reason, &text); err != nil {
			return nil, failed(op, err)
		}
		if w.Value, err = valueOf(text); err != nil {
			return nil, failed(op, fmt.Errorf("%s: %w", w.Day, err))
		}
		out = append(out, w)
	}
	return out, failed(op, errors.Join(rows.Err(), rows.Close()))
}
