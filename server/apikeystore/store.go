package apikeystore

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"sync/atomic"

	"github.com/mattn/go-sqlite3"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
)

// Store is the keys and counts in tutti.db. It implements keys.Store and is safe
// for concurrent use, by several processes too.
type Store struct {
	db *sql.DB
	// version is SQLite's count of other connections' changes, as of the last Load.
	version atomic.Int64
}

var _ apikeys.Store = (*Store)(nil)

// OpenStore opens the database in a data directory and makes it if it is not
// there, for its owner only. Errors are the fault KeyStoreFailed.
func OpenStore(ctx context.Context, dir string) (*Store, error) {
	db, err := driver().Open(ctx, dir, tables().Migrate)
	if err != nil {
		return nil, failed("open "+filepath.Join(dir, database.FileName), err)
	}
	// The one connection matters here too: data_version is a connection's own.
	s := &Store{db: db}
	s.version.Store(-1)
	return s, nil
}

// driver is SQLite, in C.
func driver() database.Driver {
	return database.Driver{Name: "sqlite3", Busy: func(err error) bool {
		e, ok := errors.AsType[sqlite3.Error](err)
		return ok && e.Code == sqlite3.ErrBusy
	}}
}

// Close ends the use of the database.
func (s *Store) Close() error { return failed("close "+database.FileName, s.db.Close()) }

// failed is err as a fault, nil for nil; faults stay what they are.
func failed(op string, err error) error {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*fault.Fault](err); ok {
		return f
	}
	return fault.Wrap(fault.KeyStoreFailed, op, err)
}

// Changed reports whether another connection, of whichever process, changed the
// database since the last Load.
func (s *Store) Changed(ctx context.Context) (bool, error) {
	version, err := s.dataVersion(ctx)
	return version != s.version.Load(), failed("look for changed keys", err)
}

func (s *Store) dataVersion(ctx context.Context) (version int64, err error) {
	err = s.db.QueryRowContext(ctx, `PRAGMA data_version`).Scan(&version)
	return version, err
}

// inTx runs f in a database transaction for writing.
func (s *Store) inTx(ctx context.Context, op string, f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return failed(op, err)
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	if err := f(tx); err != nil {
		return failed(op, err)
	}
	return failed(op, tx.Commit())
}

// duplicate reports whether err is a value that must be there once.
func duplicate(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	return ok && e.ExtendedCode == sqlite3.ErrConstraintUnique
}
