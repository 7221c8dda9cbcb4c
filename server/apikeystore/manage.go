package apikeystore

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
)

// Create makes a key with a new ID and secret. The secret is returned and nowhere
// kept. Errors are the faults KeyInvalid, KeyNameTaken and KeyStoreFailed.
func (s *Store) Create(ctx context.Context, k apikeys.Key, now time.Time, random io.Reader) (apikeys.Key, string,
	error) {
	const op = "create API key"
	if err := check(op, &k, now); err != nil {
		return apikeys.Key{}, "", err
	}
	secret, err := apikeys.NewSecret(random)
	if err != nil {
		return apikeys.Key{}, "", fault.Wrap(fault.Unexpected, op, err)
	}
	if k.ID, err = apikeys.NewID(random); err != nil {
		return apikeys.Key{}, "", fault.Wrap(fault.Unexpected, op, err)
	}
	k.Hash, k.Created, k.Revoked = apikeys.HashOf(secret), now.UTC().Truncate(time.Second), time.Time{}
	row, err := values(&k)
	if err != nil {
		return apikeys.Key{}, "", fault.Wrap(fault.Unexpected, op, err)
	}
	err = s.inTx(ctx, op, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO keys_key (`+keyColumns+`) 
			VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`, row...)
		if duplicate(err) {
			return fault.New(fault.KeyNameTaken, op, fmt.Sprintf("there is a key named %q", k.Name))
		}
		return err
	})
	if err != nil {
		return apikeys.Key{}, "", err
	}
	return k, secret, nil
}

// check completes and checks a key's properties.
func check(op string, k *apikeys.Key, now time.Time) error {
	if k.Budget.Limited() && k.Budget.Period == "" {
		k.Budget.Period = apikeys.Total
	}
	var wrong []string
	if w := apikeys.CheckName(k.Name); w != "" {
		wrong = append(wrong, w)
	}
	for _, p := range k.Check() {
		wrong = append(wrong, p.String())
	}
	if !k.Expires.IsZero() && !k.Expires.After(now) {
		wrong = append(wrong, "expires: the time is over already")
	}
	if len(wrong) > 0 {
		return fault.New(fault.KeyInvalid, op, strings.Join(wrong, "; "))
	}
	return nil
}

// Revoke takes a key back, by name or ID. The error is KeyNotFound or
// KeyStoreFailed.
func (s *Store) Revoke(ctx context.Context, which string, now time.Time) (apikeys.Key, error) {
	return s.change(ctx, "revoke API key", which, func(k *apikeys.Key) error {
		k.Revoked = now.UTC().Truncate(time.Second)
		return nil
	})
}

// SetLimits changes a key's limits and expiry as f does, by name or ID. Errors
// are KeyNotFound, KeyInvalid, KeyStoreFailed and those of f.
func (s *Store) SetLimits(ctx context.Context, which string, now time.Time, f func(*apikeys.Key) error) (apikeys.Key,
	error) {
	const op = "change API key"
	return s.change(ctx, op, which, func(k *apikeys.Key) error {
		before := *k
		if err := f(k); err != nil {
			return err
		}
		checked := *k
		if k.Expires.Equal(before.Expires) {
			checked.Expires = time.Time{} // an expired key's other limits may change
		}
		if err := check(op, &checked, now); err != nil {
			return err
		}
		k.Budget = checked.Budget
		return nil
	})
}

// change replaces what may change of a good key.
func (s *Store) change(ctx context.Context, op, which string, f func(*apikeys.Key) error) (k apikeys.Key, err error) {
	err = s.inTx(ctx, op, func(tx *sql.Tx) error {
		if k, err = find(ctx, tx, op, which); err != nil {
			return err
		}
		if err := f(&k); err != nil {
			return err
		}
		row, err := values(&k)
		if err != nil {
			return err
		}
		// The columns from models to revoked, those after created, and the ID to find the row.
		_, err = tx.ExecContext(ctx, `UPDATE keys_key SET models = ?, rpm = ?, tpm = ?, concurrency = ?, budget = ?,
			period = ?, expires = ?, revoked = ?, budget_wei = ?, budget_usd = ?, alert = ?, admin = ? WHERE id = ?`,
			slices.Concat(row[3:11], row[12:], []any{k.ID})...)
		return err
	})
	if err != nil {
		return apikeys.Key{}, err
	}
	return k, nil
}

// find returns the good key of a name or ID.
func find(ctx context.Context, tx *sql.Tx, op, which string) (apikeys.Key, error) {
	rows, err := tx.QueryContext(ctx, `SELECT `+keyColumns+` FROM keys_key WHERE revoked = 0 AND (id = ? OR name = ?)`,
		which, which)
	if err != nil {
		return apikeys.Key{}, err
	}
	defer rows.Close()
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return apikeys.Key{}, err
		}
		return apikeys.Key{}, fault.New(fault.KeyNotFound, op, fmt.Sprintf("no good key has the name or ID %q", which))
	}
	return scanKey(rows)
}
