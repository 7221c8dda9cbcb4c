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
	// Busy reports whether an error means that the file is in somebody else's hands
	// at this moment.
	Busy func(error) bool
}

// Open opens the database in a data directory, which it makes if it is not there,
// and has prepare bring the owner's tables up to date. There is one connection:
// SQLite writes one at a time anyhow. Whoever reads rows must close them before
// the next statement.
func (d Driver) Open(ctx context.Context, dir string, prepare func(context.Context, *sql.DB) error) (*sql.DB, error) {
	path := filepath.Join(dir, FileName)
	if err := private(path); err != nil {
		return nil, err
	}
	db, err := sql.Open(d.Name, dsn(path))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if err := d.patiently(ctx, func() error { return prepare(ctx, db) }); err != nil {
		_ = db.Close()
		return nil, err
	}
	return db, nil
}

// patience is how long the database may be somebody else's; beat is between tries
// where SQLite does not wait by itself.
const (
	patience = 5 * time.Second
	beat     = 10 * time.Millisecond
)

// patiently opens the database in spite of others who do at this moment: SQLite
// does not wait for those who change a file's journal or mend it.
func (d Driver) patiently(ctx context.Context, open func() error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(beat)
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

// dsn is the connection's settings. Money depends on what is in the file, so
// commits reach the disk before they count (synchronous FULL).
func dsn(path string) string {
	q := url.Values{
		"_journal_mode": {"WAL"}, "_synchronous": {"FULL"}, "_busy_timeout": {strconv.FormatInt(patience.Milliseconds(), 10)}, "_txlock": {"immediate"}, "_foreign_keys": {"on"},
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}
