package keystore

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/mattn/go-sqlite3"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/keys"
)

// fileName is the node's database in its data directory.
const fileName = "tutti.db"

// Store is the keys and counts in tutti.db. It implements keys.Store and is safe
// for concurrent use, by several processes too.
type Store struct {
	db *sql.DB
	// version is SQLite's count of other connections' changes, as of the last Load.
	version atomic.Int64
}

var _ keys.Store = (*Store)(nil)

// OpenStore opens the database in a data directory and makes it if it is not
// there, for its owner only. Errors are the fault KeyStoreFailed.
func OpenStore(ctx context.Context, dir string) (*Store, error) {
	path := filepath.Join(dir, fileName)
	if err := private(path); err != nil {
		return nil, failed("open "+path, err)
	}
	db, err := sql.Open("sqlite3", dsn(path))
	if err != nil {
		return nil, failed("open "+path, err)
	}
	// One connection: SQLite writes one at a time anyhow, and data_version is a
	// connection's own.
	db.SetMaxOpenConns(1)
	if err := patiently(ctx, func() error { return migrate(ctx, db) }); err != nil {
		_ = db.Close()
		return nil, failed("open "+path, err)
	}
	s := &Store{db: db}
	s.version.Store(-1)
	return s, nil
}

// private makes the file if need be, and keeps others from reading it: SQLite
// gives its side files the same mode. The file itself is never opened here: to
// close it would end the locks that this process has on it.
func private(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return create(path)
	}
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = os.Chmod(path, info.Mode().Perm()&^fs.FileMode(0o077))
	}
	return err
}

// create makes an empty file for its owner only. Who else was quicker is as good.
func create(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// patience is how long the database may be somebody else's; beat is between tries
// where SQLite does not wait by itself.
const (
	patience = 5 * time.Second
	beat     = 10 * time.Millisecond
)

// patiently opens the database in spite of others who do at this moment: SQLite
// does not wait for those who change a file's journal or mend it.
func patiently(ctx context.Context, open func() error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		err := open()
		if e, ok := errors.AsType[sqlite3.Error](err); !ok || e.Code != sqlite3.ErrBusy {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return err
		}
	}
}

// dsn is the connection's settings. The file is shared with the ledger, so
// commits reach the disk before they count (synchronous FULL).
func dsn(path string) string {
	q := url.Values{
		"_journal_mode": {"WAL"}, "_synchronous": {"FULL"}, "_busy_timeout": {strconv.FormatInt(patience.Milliseconds(), 10)}, "_txlock": {"immediate"}, "_foreign_keys": {"on"},
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

// Close ends the use of the database.
func (s *Store) Close() error { return failed("close "+fileName, s.db.Close()) }

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

// inTx runs f in a transaction for writing.
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
