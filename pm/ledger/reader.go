package ledger

import (
	"context"
	"database/sql"

	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
)

// Reader reads a ledger. It works whether or not a node has the database open, and never
// returns a secret. It is safe for concurrent use.
type Reader struct{ db *sql.DB }

// NewReader returns the reader of a database. The error is the fault LedgerAbsent if it holds
// no ledger, or LedgerFailed.
func NewReader(ctx context.Context, db *sql.DB) (*Reader, error) {
	const op = "read the ledger"
	var tables int
	query := `SELECT count(*) FROM sqlite_schema WHERE name = 'ledger_schema'`
	if database.DialectOf(db) == database.Postgres {
		query = `SELECT count(*) FROM pg_tables WHERE tablename = 'ledger_schema' AND schemaname = current_schema()`
	}
	if err := db.QueryRowContext(ctx, query).Scan(&tables); err != nil {
		return nil, fault.Wrap(fault.LedgerFailed, op, err)
	}
	if tables == 0 {
		return nil, fault.New(fault.LedgerAbsent, op, "the database holds none")
	}
	return &Reader{db}, nil
}

// inSnapshot runs f on a consistent snapshot of the database.
func (r *Reader) inSnapshot(ctx context.Context, op string, f func(*sql.Tx) error) error {
	opt := &sql.TxOptions{ReadOnly: true}
	if database.DialectOf(r.db) == database.Postgres {
		opt.Isolation = sql.LevelRepeatableRead // SQLite transactions always are
	}
	tx, err := r.db.BeginTx(ctx, opt)
	if err != nil {
		return unreadable(op, err)
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	return unreadable(op, f(tx))
}

func unreadable(op string, err error) error {
	if err == nil {
		return nil
	}
	return fault.Wrap(fault.LedgerFailed, op, err)
}
