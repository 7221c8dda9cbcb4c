package ledger

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/keccak"
	"github.com/tuttinode/tutti/core/protocol"
)

// Several orchestrators with one recipient keep their books in one PostgreSQL
// database. Each has a book of its own, a schema with the tables of a ledger, because
// it alone has the secret of its tickets and knows which of them came. Winning tickets
// lie in the shared schema, all books' together, so that none is there twice and
// whoever leads redeems them whether their node lives or not; in a book they are views
// of its own ones.

// SharedPath is where a connection looks for what all books share.
const SharedPath = "tutti"

var bookName = regexp.MustCompile(`^[a-z0-9_]{1,40}$`)

// BookName reports whether a text is the name of a book.
func BookName(name string) bool { return bookName.MatchString(name) }

// BookPath is where a connection looks for a book's tables.
func BookPath(name string) string { return "tutti_book_" + name }

// BookLock is the number of the lock that whoever writes a book holds.
func BookLock(name string) int64 { return lockNumber("tutti ledger book " + name) }

// LeaderLock is that of whoever redeems for all books.
func LeaderLock() int64 { return lockNumber("tutti ledger leader") }

func lockNumber(name string) int64 {
	sum := keccak.Sum([]byte(name))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}

// Book is what is written down of a node that has a book.
type Book struct {
	Name      string
	Recipient core.Address
	Host      string
}

// OpenBook makes a book's tables where there are none, over the connection that writes
// it. After that Open opens it like any ledger. The error is the fault StoreForeign
// where the books of the database are another recipient's, or the database's own.
func OpenBook(ctx context.Context, db *sql.DB, b Book, now time.Time) error {
	if err := sharedTables(ctx, db); err != nil {
		return err
	}
	return enterBook(ctx, db, b, now)
}

// tablesLock is whose who makes tables, or enters a book.
const tablesLock = "tutti ledger tables"

// sharedTables brings what the books share up to date; nodes that start together do so
// one after another.
func sharedTables(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	key := lockNumber(tablesLock)
	_, err = conn.ExecContext(ctx, `SELECT pg_advisory_lock(?)`, key)
	if err == nil {
		_, err = conn.ExecContext(ctx, `CREATE SCHEMA IF NOT EXISTS `+SharedPath)
	}
	if err := errors.Join(err, conn.Close()); err != nil {
		return err
	}
	// The one connection still has the lock.
	err = shared().Migrate(ctx, db)
	_, unlocked := db.ExecContext(ctx, `SELECT pg_advisory_unlock(?)`, key)
	return errors.Join(err, unlocked)
}

func enterBook(ctx context.Context, db *sql.DB, b Book, now time.Time) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	// Of two recipients who come together, the second sees the first.
	if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(?)`, lockNumber(tablesLock)); err != nil {
		return err
	}
	var other core.Address
	switch err := tx.QueryRowContext(ctx, `SELECT recipient FROM tutti.ledger_book WHERE recipient <> ? LIMIT 1`, b.Recipient[:]).Scan(into(other[:])); {
	case err == nil:
		return fault.New(fault.StoreForeign, "open the book", fmt.Sprintf("they are paid to %s, this node works for %s", other, b.Recipient))
	case !errors.Is(err, sql.ErrNoRows):
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO tutti.ledger_book (name, recipient, host, opened) VALUES (?, ?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET host = excluded.host, opened = excluded.opened`, b.Name, b.Recipient[:], b.Host, nanos(now))
	if err == nil {
		_, err = tx.ExecContext(ctx, `CREATE SCHEMA IF NOT EXISTS `+BookPath(b.Name))
	}
	if err != nil {
		return err
	}
	return tx.Commit()
}

// shared are the tables that all books have in common.
func shared() database.Tables {
	return database.Tables{Owner: "shared", Schema: SharedPath + ".", Content: "shared tables", Steps: []string{
		`SET LOCAL search_path TO tutti;` + registry + strings.Replace(tickets, "hash       BLOB", "book       TEXT NOT NULL REFERENCES ledger_book,\n\thash       BLOB", 1),
	}}
}

// ledger_leader has one row: which term of leading it is, and whose. ledger_reached has
// one: the layer-1 height up to which random numbers may have been told, so that no
// book takes tickets that expired there. ledger_sending has who was about to send a
// winning ticket, and when.
const registry = `CREATE TABLE ledger_book (
	name      TEXT PRIMARY KEY,
	recipient BLOB NOT NULL CHECK (length(recipient) = 20),
	host      TEXT NOT NULL,
	opened    INTEGER NOT NULL
) STRICT;
CREATE TABLE ledger_leader (
	one   INTEGER PRIMARY KEY CHECK (one = 1),
	term  INTEGER NOT NULL,
	book  TEXT NOT NULL,
	since INTEGER NOT NULL
) STRICT;
INSERT INTO ledger_leader (one, term, book, since) VALUES (1, 0, '', 0);
CREATE TABLE ledger_reached (
	one   INTEGER PRIMARY KEY CHECK (one = 1),
	block INTEGER NOT NULL
) STRICT;
INSERT INTO ledger_reached (one, block) VALUES (1, 0);
CREATE TABLE ledger_sending (
	hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
	book TEXT NOT NULL,
	at   INTEGER NOT NULL
) STRICT;
`

// ownTickets are a book's part of the winning tickets. What is written through it is
// the book's.
func ownTickets(name string) string {
	return strings.ReplaceAll(`CREATE VIEW ledger_winner AS SELECT `+winnerColumns+`, book FROM tutti.ledger_winner WHERE book = 'NAME';
ALTER VIEW ledger_winner ALTER COLUMN book SET DEFAULT 'NAME';
CREATE VIEW ledger_progress AS SELECT winner, n, state, tx, paid, fee, reason, at FROM tutti.ledger_progress
	WHERE winner IN (SELECT id FROM tutti.ledger_winner WHERE book = 'NAME');
`, "NAME", name)
}

// openedTables are the ledger's tables in an opened database: with the winning tickets
// in it, or with views of them.
func openedTables(ctx context.Context, db *sql.DB) (database.Tables, error) {
	if database.DialectOf(db) == database.SQLite {
		return tables(tickets), nil
	}
	var schema string
	if err := db.QueryRowContext(ctx, `SELECT current_schema()`).Scan(&schema); err != nil {
		return database.Tables{}, err
	}
	return tables(ownTickets(strings.TrimPrefix(schema, BookPath("")))), nil
}

// reached is how far random numbers may have been told, by whoever redeems.
func reached(ctx context.Context, tx *sql.Tx) (block protocol.L1Block, err error) {
	err = tx.QueryRowContext(ctx, `SELECT block FROM tutti.ledger_reached`).Scan(&block)
	return block, err
}
