package apikeystore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
)

const keyColumns = `id, name, hash, models, rpm, tpm, concurrency, budget, period, expires, revoked, created,
	budget_wei, budget_usd, alert, admin`

const usageColumns = `id, period, start, used, reserved, requests, paid, held, paid_usd, held_usd, last`

// Load returns every key and every count.
func (s *Store) Load(ctx context.Context) ([]apikeys.Key, []apikeys.Usage, error) {
	const op = "read API keys"
	// Taken first: a change while the rows are read is then seen the next time.
	version, err := s.dataVersion(ctx)
	if err != nil {
		return nil, nil, failed(op, err)
	}
	list, err := all(ctx, s.db, `SELECT `+keyColumns+` FROM keys_key ORDER BY created, id`, scanKey)
	if err != nil {
		return nil, nil, failed(op, err)
	}
	usage, err := all(ctx, s.db, `SELECT `+usageColumns+` FROM keys_usage ORDER BY id`,
		scanUsage)
	if err != nil {
		return nil, nil, failed(op, err)
	}
	s.version.Store(version)
	return list, usage, nil
}

// all reads every row of a query.
func all[T any](ctx context.Context, db *sql.DB, query string, scan func(*sql.Rows) (T, error)) ([]T, error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

func scanKey(rows *sql.Rows) (k apikeys.Key, err error) {
	var hash []byte
	var models, period, wei, usd string
	var expires, revoked, created int64
	err = rows.Scan(&k.ID, &k.Name, &hash, &models, &k.RPM, &k.TPM, &k.Concurrency, &k.Budget.Tokens, &period, &expires,
		&revoked, &created, &wei, &usd, &k.Alert, &k.Admin)
	if err != nil {
		return k, err
	}
	if len(hash) != len(k.Hash) {
		return k, fmt.Errorf("key %s: its hash has %d bytes", k.ID, len(hash))
	}
	copy(k.Hash[:], hash)
	if err := json.Unmarshal([]byte(models), &k.Models); err != nil {
		return k, fmt.Errorf("key %s: its models: %w", k.ID, err)
	}
	if k.Budget.Wei, err = weiOf(wei); err != nil {
		return k, fmt.Errorf("key %s: its budget: %w", k.ID, err)
	}
	if k.Budget.USD, err = usdOf(usd); err != nil {
		return k, fmt.Errorf("key %s: its budget: %w", k.ID, err)
	}
	k.Budget.Period = apikeys.Period(period)
	k.Expires, k.Revoked, k.Created = fromUnix(expires), fromUnix(revoked), fromUnix(created)
	return k, nil
}

func scanUsage(rows *sql.Rows) (u apikeys.Usage, err error) {
	var start, last int64
	var paid, held, paidUSD, heldUSD string
	err = rows.Scan(&u.ID, &u.Period, &start, &u.Used, &u.Reserved, &u.Requests, &paid, &held, &paidUSD, &heldUSD,
		&last)
	if err != nil {
		return u, err
	}
	u.Start, u.Last = fromUnix(start), fromUnix(last)
	return u, errors.Join(readAmount(&u.Paid, paid), readAmount(&u.Held, held), readAmount(&u.PaidUSD, paidUSD),
		readAmount(&u.HeldUSD, heldUSD))
}

// SaveUsage writes counts, all or nothing.
func (s *Store) SaveUsage(ctx context.Context, usage []apikeys.Usage) error {
	return s.inTx(ctx, "save the counts of API keys", func(tx *sql.Tx) error {
		stmt, err := tx.PrepareContext(ctx, `INSERT OR REPLACE INTO keys_usage (`+usageColumns+`)
			VALUES (?,?,?,?,?,?,?,?,?,?,?)`)
		if err != nil {
			return err
		}
		defer stmt.Close()
		for _, u := range usage {
			if _, err := stmt.ExecContext(ctx, u.ID, string(u.Period), unix(u.Start), int64(u.Used), int64(u.Reserved),
				u.Requests, u.Paid.String(), u.Held.String(), u.PaidUSD.String(), u.HeldUSD.String(), unix(u.Last)); err != nil {
				return err
			}
		}
		return nil
	})
}

// forgetAfter is longer than the longest period.
const forgetAfter = 40 * 24 * time.Hour

// Forget deletes the counts of keys that the webhook admitted, once their period
// is over: no other code deletes them.
func (s *Store) Forget(ctx context.Context, now time.Time) error {
	return s.inTx(ctx, "forget old counts of API keys", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM keys_usage WHERE id LIKE 'hook:%' AND period != ? AND start < ?`,
			string(apikeys.Total), unix(now.Add(-forgetAfter)))
		return err
	})
}

// unix returns a time as it is stored, 0 for the zero time.
func unix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

func fromUnix(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

// values returns a key's columns, in the order of keyColumns.
func values(k *apikeys.Key) ([]any, error) {
	models := k.Models
	if models == nil {
		models = []string{}
	}
	text, err := json.Marshal(models)
	if err != nil {
		return nil, err
	}
	return []any{
		k.ID, k.Name, k.Hash[:], string(text), k.RPM, int64(k.TPM), k.Concurrency, int64(k.Budget.Tokens),
		string(k.Budget.Period),
		unix(k.Expires), unix(k.Revoked), unix(k.Created), k.Budget.Wei.String(), k.Budget.USD.String(), k.Alert, k.Admin,
	}, nil
}
