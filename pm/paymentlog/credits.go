package paymentlog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core"
)

// Credit is what one orchestrator was paid and has not worked for, as it is stored. Package
// sender defines its parts. Amounts are wei.
type Credit struct {
	Payee string
	// Unworked is nil to delete the credit.
	Unworked *big.Int
	// Waiting is the part of it that waits for work because of a client.
	Waiting *big.Int
	Halved  time.Time
	Worked  [2]*big.Int
	Left    [2]*big.Int
	Span    time.Time
	Stopped bool
}

// Keep queues a credit to be stored in place of the one before, without waiting for the disk.
// It is stored before a payment that begins after it.
func (s *Store) Keep(c Credit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return
	}
	s.credits[c.Payee] = c
	wake(s.later)
}

// Credits reads the stored credits.
func (s *Store) Credits(ctx context.Context) (out []Credit, err error) {
	const op = "read what orchestrators were paid ahead"
	rows, err := s.db.QueryContext(ctx, `SELECT payee, unworked, waiting, halved, worked, earlier, left_now, left_earlier,
		span, stopped
		FROM spent_credit WHERE sender = ?`, s.opt.Sender[:])
	if err != nil {
		return nil, failed(op, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		c, err := scanCredit(rows)
		if err != nil {
			return nil, failed(op, err)
		}
		out = append(out, c)
	}
	return out, failed(op, errors.Join(rows.Err(), rows.Close()))
}

func scanCredit(rows *sql.Rows) (c Credit, err error) {
	var unworked, waiting, worked, earlier, left, leftEarlier string
	var halved, span int64
	if err := rows.Scan(&c.Payee, &unworked, &waiting, &halved, &worked, &earlier, &left, &leftEarlier, &span,
		&c.Stopped); err != nil {
		return c, err
	}
	for _, n := range []struct {
		text string
		to   **big.Int
	}{{unworked, &c.Unworked}, {waiting, &c.Waiting}, {worked, &c.Worked[0]}, {earlier, &c.Worked[1]},
		{left, &c.Left[0]}, {leftEarlier, &c.Left[1]}} {
		v, ok := new(big.Int).SetString(n.text, 10)
		if !ok || v.Sign() < 0 {
			return c, fmt.Errorf("the credit of %.64q: %w", c.Payee, errDamaged)
		}
		*n.to = v
	}
	c.Halved, c.Span = time.Unix(0, halved), time.Unix(0, span)
	return c, nil
}

// keepCredit stores one credit.
const keepCredit = `INSERT OR REPLACE INTO spent_credit
	(sender, payee, unworked, waiting, halved, worked, earlier, left_now, left_earlier, span, stopped)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// writeCredits writes credits in the transaction of a commit. keep is keepCredit, prepared: each payment changes a
// credit.
func writeCredits(ctx context.Context, tx *sql.Tx, keep *sql.Stmt, sender core.Address,
	credits map[string]Credit) error {
	for _, payee := range slices.Sorted(maps.Keys(credits)) {
		c := credits[payee]
		var err error
		if c.Unworked == nil {
			_, err = tx.ExecContext(ctx, `DELETE FROM spent_credit WHERE sender = ? AND payee = ?`, sender[:], payee)
		} else {
			_, err = keep.ExecContext(ctx, sender[:], payee, c.Unworked.String(), c.Waiting.String(),
				c.Halved.UnixNano(), c.Worked[0].String(), c.Worked[1].String(), c.Left[0].String(), c.Left[1].String(),
				c.Span.UnixNano(), c.Stopped)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
