package nodedb

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/mattn/go-sqlite3"

	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/lifecycle"
)

// Driver returns the driver of the node's database.
func Driver() database.Driver {
	return database.Driver{Name: "sqlite3", Busy: func(err error) bool {
		e, ok := errors.AsType[sqlite3.Error](err)
		return ok && e.Code == sqlite3.ErrBusy
	}}
}

// Connect only connects: each owner migrates its own tables.
func Connect(ctx context.Context, db *sql.DB) error { return db.PingContext(ctx) }

// OpenReadOnly opens a database that a node may have open too. It makes none.
func OpenReadOnly(path string) (*sql.DB, error) {
	const op = "open the ledger"
	if _, err := os.Stat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.LedgerAbsent, op, "there is no directory "+filepath.Dir(path))
	}
	if _, err := os.Stat(path); err != nil {
		return nil, &fault.Fault{Code: fault.LedgerAbsent, Op: op, Err: err,
			Detail: path + " cannot be opened: no node on a chain has used the directory, or it is another's"}
	}
	q := url.Values{"mode": {"ro"}, "_busy_timeout": {"5000"}, "_txlock": {"deferred"}}
	db, err := sql.Open("sqlite3", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+q.Encode())
	if err != nil {
		return nil, fault.Wrap(fault.LedgerFailed, "open "+path, err)
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// CloseAtEnd returns a component that closes a database when everything that uses it has stopped.
func CloseAtEnd(db *sql.DB, name string) lifecycle.Component { return openFile{db, name} }

type openFile struct {
	db   *sql.DB
	name string
}

// Name returns the component's name.
func (f openFile) Name() string { return f.name }

// Run closes the database when ctx ends.
func (f openFile) Run(ctx context.Context, ready func()) error {
	ready()
	<-ctx.Done()
	return f.db.Close()
}
