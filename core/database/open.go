package database

import (
	"context"
	"database/sql"
	"net/url"
	"path/filepath"
	"strconv"
	"time"
)

// FileName is the node's database in its data directory.
const FileName = "tutti.db"

// Driver is a registered driver of database/sql that takes SQLite's names and the
// settings of github.com/mattn/go-sqlite3.
type Driver struct {
	// Name is what the driver is registered as.
	Name string
	// Busy reports whether an error means that another process has locked the file.
	Busy func(error) bool
}

// Open opens or creates the database in a data directory and calls prepare to migrate the
// owner's tables. There is one connection, because SQLite has one writer at a time: callers
// must close rows before the next statement.
func (d Driver) Open(ctx context.Context, dir string, prepare func(context.Context, *sql.DB) error) (*sql.DB, error) {
	path := filepath.Join(dir, FileName)
	if err := ensurePrivate(path); err != nil {
		return nil, err
	}
	db, err := sql.Open(d.Name, dsn(path))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if err := d.retryWhileBusy(ctx, func() error { return prepare(ctx, db) }); err != nil {
		_ = db.Close()
		return nil, err
	}
	return db, nil
}

// busyTimeout is how long another process may lock the database; busyInterval is between
// attempts where SQLite does not wait by itself.
const (
	busyTimeout  = 5 * time.Second
	busyInterval = 10 * time.Millisecond
)

// retryWhileBusy retries open while another process opens the database: SQLite does not
// wait for a process that changes the journal mode or recovers the file.
func (d Driver) retryWhileBusy(ctx context.Context, open func() error) error {
	ctx, cancel := context.WithTimeout(ctx, busyTimeout)
	defer cancel()
	tick := time.NewTicker(busyInterval)
	defer tick.Stop()
	for {
		err := open()
		if err == nil || !d.Busy(err) {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return err
		}
	}
}

// dsn returns the data source name with the connection's settings. The file holds records of
// money, so a commit returns only when it is on disk (synchronous FULL).
func dsn(path string) string {
	q := url.Values{
		"_journal_mode": {"WAL"}, "_synchronous": {"FULL"},
		"_busy_timeout": {strconv.FormatInt(busyTimeout.Milliseconds(), 10)}, "_txlock": {"immediate"},
		"_foreign_keys": {"on"},
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}
