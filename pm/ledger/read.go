package ledger

import (
	"context"
	"database/sql"

	"github.com/tuttinode/tutti/core/fault"
)

// Reader looks at a ledger and changes nothing. It works on a database that a node
// has open as well as on one that nobody has; it never returns a secret. It is safe
// for concurrent use.
type Reader struct{ db *sql.DB }

// NewReader returns the reader of a database. The error is the fault LedgerAbsent
// where it holds no ledger, or LedgerFailed.
func NewReader(ctx context.Context, db *sql.DB) (*Reader, error) {
	const op = "read the ledger"
	var tables int
	if err := db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema WHERE name = 'ledger_schema'`).Scan(&tables); err != nil {
		return nil, fault.Wrap(fault.LedgerFailed, op, err)
	}
	if tables == 0 {
		return nil, fault.New(fault.LedgerAbsent, op, "the database holds none")
	}
	return &Reader{db}, nil
}

// look gives f the database as it is at one moment.
func (r *Reader) look(ctx context.Context, op string, f func(*sql.Tx) error) error {
	tx, err := r.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
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
