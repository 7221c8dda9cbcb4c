package apikeystore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
)

const spendColumns = `day, id, name, pipeline, model, user, tags, requests, prompt, completion, units, paid, lost, usd`

// keepSpend is how long spend is kept.
const keepSpend = 400 * 24 * time.Hour

// AddSpend adds what requests cost, all or nothing.
func (s *Store) AddSpend(ctx context.Context, list []apikeys.Spend) error {
	return s.inTx(ctx, "save what API keys spent", func(tx *sql.Tx) error {
		for i := range list {
			if err := addSpend(ctx, tx, list[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// addSpend adds to one row. Beyond the labels and models that are kept of a key's day, a row has none.
func addSpend(ctx context.Context, tx *sql.Tx, row apikeys.Spend) error {
	old, found, err := findSpend(ctx, tx, row.SpendKey)
	if err != nil {
		return err
	}
	if !found {
		var n int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM keys_spend WHERE day = ? AND id = ?`, row.Day,
			row.ID).Scan(&n); err != nil {
			return err
		}
		if k := row.Fold(n); k != row.SpendKey {
			row.SpendKey = k
			if old, _, err = findSpend(ctx, tx, k); err != nil {
				return err
			}
		}
	}
	row.Add(&old)
	_, err = tx.ExecContext(ctx, `INSERT OR REPLACE INTO keys_spend (`+spendColumns+`)
		VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		row.Day, row.ID, row.Name, row.Pipeline, row.Model, row.User, row.Tags, row.Requests, int64(row.Prompt),
		int64(row.Completion), int64(row.Units), row.Paid.String(), row.Lost.String(), row.USD.String())
	return err
}

func findSpend(ctx context.Context, tx *sql.Tx, k apikeys.SpendKey) (apikeys.Spend, bool, error) {
	row, err := scanSpend(tx.QueryRowContext(ctx, `SELECT `+spendColumns+` FROM keys_spend
		WHERE day = ? AND id = ? AND pipeline = ? AND model = ? AND user = ? AND tags = ?`,
		k.Day, k.ID, k.Pipeline, k.Model, k.User, k.Tags))
	if errors.Is(err, sql.ErrNoRows) {
		return apikeys.Spend{}, false, nil
	}
	return row, err == nil, err
}

// scanSpend reads a row.
func scanSpend(row interface{ Scan(to ...any) error }) (s apikeys.Spend, err error) {
	var paid, lost, usd string
	if err = row.Scan(&s.Day, &s.ID, &s.Name, &s.Pipeline, &s.Model, &s.User, &s.Tags, &s.Requests, &s.Prompt,
		&s.Completion, &s.Units, &paid, &lost, &usd); err != nil {
		return s, err
	}
	return s, errors.Join(readAmount(&s.Paid, paid), readAmount(&s.Lost, lost), readAmount(&s.USD, usd))
}

// readAmount reads wei or dollars.
func readAmount(to interface{ UnmarshalText(text []byte) error }, text string) error {
	if text == "0" {
		return nil // the zero value
	}
	if err := to.UnmarshalText([]byte(text)); err != nil {
		return fmt.Errorf("an amount of money: %w", err)
	}
	return nil
}

// Spend returns what was spent, as a query asks. The error is the fault KeyStoreFailed, or RequestUnreadable where
// there are more sums than the query allows.
func (s *Store) Spend(ctx context.Context, q apikeys.SpendQuery) ([]apikeys.Spend, error) {
	const op = "read what API keys spent"
	rows, err := s.db.QueryContext(ctx, `SELECT `+spendColumns+` FROM keys_spend
		WHERE day >= ? AND (? = '' OR day <= ?) AND (? = 0 OR id = ?)`, q.From, q.To, q.To, q.One, q.ID)
	if err != nil {
		return nil, failed(op, err)
	}
	defer rows.Close()
	sums := apikeys.NewSums(q)
	for rows.Next() {
		row, err := scanSpend(rows)
		if err != nil {
			return nil, failed(op, err)
		}
		if n := sums.Add(&row); q.Most > 0 && n > q.Most {
			return nil, fault.New(fault.RequestUnreadable, op,
				fmt.Sprintf("there are more than %d rows: ask for fewer days, or sum by fewer fields", q.Most))
		}
	}
	if err := rows.Err(); err != nil {
		return nil, failed(op, err)
	}
	return sums.List(), nil
}

// forgetSpend deletes spend that is too old.
func (s *Store) forgetSpend(ctx context.Context, now time.Time) error {
	return s.inTx(ctx, "forget what API keys spent long ago", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM keys_spend WHERE day < ?`, apikeys.SpendDay(now.Add(-keepSpend)))
		return err
	})
}

// weiOf returns an amount as it is stored.
func weiOf(text string) (w core.Wei, err error) {
	err = readAmount(&w, text)
	return w, err
}

// usdOf returns an amount as it is stored.
func usdOf(text string) (u apikeys.USD, err error) {
	err = readAmount(&u, text)
	return u, err
}
