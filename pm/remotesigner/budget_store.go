package remotesigner

import (
	"context"
	"database/sql"
	"errors"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
)

// Store keeps budgets in the node's database.
type Store struct {
	db     *sql.DB
	sender core.Address
}

var _ BudgetStore = (*Store)(nil)

// OpenStore makes the tables for one account. The error is the fault SignerBudgetFailed.
func OpenStore(ctx context.Context, db *sql.DB, sender core.Address) (*Store, error) {
	tables := database.Tables{Owner: "signer", Content: "budgets of callers", Steps: []string{
		`CREATE TABLE signer_day (
			sender  BLOB NOT NULL,
			day     TEXT NOT NULL,
			auth_id TEXT NOT NULL,
			spent   TEXT NOT NULL,
			PRIMARY KEY (sender, day, auth_id)
		) STRICT, WITHOUT ROWID`,
	}}
	if err := tables.Migrate(ctx, db); err != nil {
		return nil, fault.Wrap(fault.SignerBudgetFailed, "open the budgets of callers", err)
	}
	return &Store{db: db, sender: sender}, nil
}

// Spent returns the latest day that is kept, "" for none, and what each auth id spent on it.
func (s *Store) Spent(ctx context.Context) (day string, spent map[string]core.Wei, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT day, auth_id, spent FROM signer_day WHERE sender = ?1 AND day =
		(SELECT MAX(day) FROM signer_day WHERE sender = ?1)`, s.sender[:])
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = rows.Close() }()
	spent = make(map[string]core.Wei)
	for rows.Next() {
		var id, text string
		if err := rows.Scan(&day, &id, &text); err != nil {
			return "", nil, err
		}
		if spent[id], err = core.ParseWei(text); err != nil {
			return "", nil, err
		}
	}
	return day, spent, errors.Join(rows.Err(), rows.Close())
}

// Keep writes what one has spent on a day, and drops other days.
func (s *Store) Keep(ctx context.Context, day, authID string, spent core.Wei) error {
	return s.write(ctx, day, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO signer_day (sender, day, auth_id, spent) VALUES (?, ?, ?, ?)
			ON CONFLICT (sender, day, auth_id) DO UPDATE SET spent = excluded.spent`, s.sender[:], day, authID,
			spent.String())
		return err
	})
}

// Move makes what is kept of one day that of another.
func (s *Store) Move(ctx context.Context, from, to string) error {
	return s.write(ctx, from, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE signer_day SET day = ? WHERE sender = ?`, to, s.sender[:])
		return err
	})
}

// write drops all days but one, and then changes something.
func (s *Store) write(ctx context.Context, only string, change func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	if _, err := tx.ExecContext(ctx, `DELETE FROM signer_day WHERE sender = ? AND day <> ?`, s.sender[:],
		only); err != nil {
		return err
	}
	if err := change(tx); err != nil {
		return err
	}
	return tx.Commit()
}
