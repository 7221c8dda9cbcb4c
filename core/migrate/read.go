package migrate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// mostTickets bounds what is read: a queue of real nodes has tens.
const mostTickets = 100_000

// Reader reads what existing nodes left.
type Reader struct {
	// Driver is a registered driver of database/sql for SQLite.
	Driver string
	// Temp is where the private copy is made; "" for the system's directory.
	Temp string
}

// Left is what one existing node left.
type Left struct {
	Dir string
	// ChainID is the chain that its database belongs to, 0 when it does not say.
	ChainID uint64
	Keys    []Key
	// Tickets won and were not redeemed.
	Tickets []Ticket
	// Redeemed is how many more are in the queue that are done with.
	Redeemed int
	// Damaged says for each ticket that cannot be used why.
	Damaged []string
}

const opRead = "read the existing node's data directory"

// Read reads a data directory without changing anything in it. A directory without a database
// has keys only. Errors are the faults OldDataMissing and OldDataUnreadable.
func (r Reader) Read(ctx context.Context, dir string) (*Left, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fault.New(fault.OldDataMissing, opRead, dir)
	}
	left := &Left{Dir: dir}
	var err error
	if left.Keys, err = KeysIn(dir); err != nil {
		return nil, fault.Wrap(fault.OldDataUnreadable, opRead+" "+dir, err)
	}
	temp, err := os.MkdirTemp(r.Temp, "tutti-move-*") // its mode is 0700
	if err != nil {
		return nil, fault.WrapWrite(fault.OldDataUnreadable, "make a copy", err)
	}
	defer func() { _ = os.RemoveAll(temp) }()
	path, err := copyDatabase(dir, temp)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return left, nil
	case err == nil:
		err = r.database(ctx, path, left)
	}
	if err != nil {
		return nil, fault.Wrap(fault.OldDataUnreadable, opRead+" "+dir, err)
	}
	return left, nil
}

// database reads the copy.
func (r Reader) database(ctx context.Context, path string, left *Left) error {
	db, err := sql.Open(r.Driver, "file:"+(&url.URL{Path: path}).EscapedPath())
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	if left.ChainID, err = chainID(ctx, db); err != nil {
		return err
	}
	return tickets(ctx, db, left)
}

// chainID returns the chain that the database was made for.
func chainID(ctx context.Context, db *sql.DB) (uint64, error) {
	known, err := hasColumns(ctx, db, "kv", "key", "value")
	if err != nil || !known {
		return 0, err
	}
	var text []byte
	err = db.QueryRowContext(ctx, `SELECT CAST(value AS BLOB) FROM kv WHERE key = 'chainID'`).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the chain ID: %w", err)
	}
	if len(text) == 0 {
		return 0, nil
	}
	id, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0, errors.New("the chain ID in it is no number")
	}
	return id, nil
}

// hasColumns reports whether there is a table. One without a column that is needed is
// an error.
func hasColumns(ctx context.Context, db *sql.DB, table string, names ...string) (bool, error) {
	found := make(map[string]bool)
	rows, err := db.QueryContext(ctx, `SELECT name FROM pragma_table_info(?)`, table)
	if err != nil {
		return false, err
	}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return false, errors.Join(err, rows.Close())
		}
		found[name] = true
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil || len(found) == 0 {
		return false, err
	}
	for _, name := range names {
		if !found[name] {
			return false, fmt.Errorf("its table %s has no column %s", table, name)
		}
	}
	return true, nil
}

// tickets reads the queue of winning tickets.
func tickets(ctx context.Context, db *sql.DB, left *Left) error {
	const table = "ticketQueue"
	known, err := hasColumns(ctx, db, table, append([]string{"redeemedAt"}, columns()...)...)
	if err != nil || !known {
		return err
	}
	const open = `(redeemedAt IS NULL OR redeemedAt = '')`
	if err := db.QueryRowContext(ctx, `SELECT count(*) FROM `+table+` WHERE NOT `+open).Scan(&left.Redeemed); err != nil {
		return err
	}
	parts := make([]string, len(columns()))
	for i, name := range columns() {
		parts[i] = "typeof(" + name + "), CAST(" + name + " AS BLOB)"
	}
	rows, err := db.QueryContext(ctx, `SELECT `+strings.Join(parts,
		", ")+` FROM `+table+` WHERE `+open+` ORDER BY creationRound DESC, rowid LIMIT ?`, mostTickets)
	if err != nil {
		return err
	}
	for rows.Next() {
		if err := left.take(rows); err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// take reads one row of the queue. A damaged one is noted, and hides no other.
func (l *Left) take(rows *sql.Rows) error {
	row, into := make([]cell, len(columns())), make([]any, 0, 2*len(columns()))
	for i := range row {
		into = append(into, &row[i].class, &row[i].bytes)
	}
	if err := rows.Scan(into...); err != nil {
		return err
	}
	t, err := ticketOf(row)
	if err != nil {
		l.Damaged = append(l.Damaged, fmt.Sprintf("ticket %d: %v", len(l.Tickets)+len(l.Damaged)+1, err))
		return nil
	}
	l.Tickets = append(l.Tickets, t)
	return nil
}
