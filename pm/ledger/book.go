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
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
)

// Several orchestrators with one recipient keep their ledgers in one PostgreSQL database. Each
// has a book of its own: a schema with the tables of a ledger, because only that node has the
// secret of its tickets and knows which of them arrived. Winning tickets are in the shared
// schema, so that each is stored once and the leader redeems it even if its node is down. A
// book sees its own ones through views.

// SharedPath is the search path of the tables that all books share.
const SharedPath = "tutti"

func bookName() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9_]{1,40}$`) }

// BookName reports whether a text is the name of a book.
func BookName(name string) bool { return bookName().MatchString(name) }

// BookPath returns the search path of a book's tables.
func BookPath(name string) string { return "tutti_book_" + name }

// BookLock returns the number of the advisory lock that the writer of a book holds.
func BookLock(name string) int64 { return lockNumber("tutti ledger book " + name) }

// LeaderLock returns the number of the lock that the leader holds, which redeems for all books.
func LeaderLock() int64 { return lockNumber("tutti ledger leader") }

func lockNumber(name string) int64 {
	sum := signature.Keccak256([]byte(name))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}

// Book describes a node that has a book.
type Book struct {
	Name      string
	Recipient core.Address
	Host      string
}

// OpenBook creates a book's tables if they are missing, over the connection that writes it.
// After that Open opens it like any ledger. The error is the fault StoreForeign if the database
// has another recipient's books, or the database's own error.
func OpenBook(ctx context.Context, db *sql.DB, b Book, now time.Time) error {
	if err := migrateShared(ctx, db); err != nil {
		return err
	}
	return registerBook(ctx, db, b, now)
}

// tablesLock names the lock for creating tables and registering a book.
const tablesLock = "tutti ledger tables"

// migrateShared brings the shared tables up to date. Nodes that start together do so one after
// another.
func migrateShared(ctx context.Context, db *sql.DB) error {
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
	err = sharedTables().Migrate(ctx, db)
	_, unlocked := db.ExecContext(ctx, `SELECT pg_advisory_unlock(?)`, key)
	return errors.Join(err, unlocked)
}

func registerBook(ctx context.Context, db *sql.DB, b Book, now time.Time) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	// Of two recipients that start together, the second sees the first.
	if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(?)`, lockNumber(tablesLock)); err != nil {
		return err
	}
	var other core.Address
	switch err := tx.QueryRowContext(ctx, `SELECT recipient FROM tutti.ledger_book WHERE recipient <> ? LIMIT 1`,
		b.Recipient[:]).Scan(into(other[:])); {
	case err == nil:
		return fault.New(fault.StoreForeign, "open the book", fmt.Sprintf("they are paid to %s, this node works for %s",
			other, b.Recipient))
	case !errors.Is(err, sql.ErrNoRows):
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO tutti.ledger_book (name, recipient, host, opened) VALUES (?, ?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET host = excluded.host, opened = excluded.opened`, b.Name, b.Recipient[:], b.Host,
		nanos(now))
	if err == nil {
		_, err = tx.ExecContext(ctx, `CREATE SCHEMA IF NOT EXISTS `+BookPath(b.Name))
	}
	if err != nil {
		return err
	}
	return tx.Commit()
}

// sharedTables returns the tables that all books share.
func sharedTables() database.Tables {
	return database.Tables{Owner: "shared", Schema: SharedPath + ".", Content: "shared tables", Steps: []string{
		`SET LOCAL search_path TO tutti;` + registry + strings.Replace(tickets, "hash       BLOB",
			"book       TEXT NOT NULL REFERENCES ledger_book,\n\thash       BLOB", 1),
	}}
}

// ledger_leader has one row: the number of the leader's term, and its book. ledger_reached has
// one row: the layer-1 height up to which random numbers may have been revealed, so that no
// book accepts tickets that expired there. ledger_sending has the node that was about to send a
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

// ownTicketViews are views of a book's winning tickets. Rows that are inserted through them
// belong to the book.
func ownTicketViews(name string) string {
	return strings.ReplaceAll(`CREATE VIEW ledger_winner AS SELECT `+winnerColumns+`, book
	FROM tutti.ledger_winner WHERE book = 'NAME';
ALTER VIEW ledger_winner ALTER COLUMN book SET DEFAULT 'NAME';
CREATE VIEW ledger_progress AS SELECT winner, n, state, tx, paid, fee, reason, at FROM tutti.ledger_progress
	WHERE winner IN (SELECT id FROM tutti.ledger_winner WHERE book = 'NAME');
`, "NAME", name)
}

// openedTables returns the ledger's tables in an opened database: with the winning tickets, or with
// views of them.
func openedTables(ctx context.Context, db *sql.DB) (database.Tables, error) {
	if database.DialectOf(db) == database.SQLite {
		return tables(tickets), nil
	}
	var schema string
	if err := db.QueryRowContext(ctx, `SELECT current_schema()`).Scan(&schema); err != nil {
		return database.Tables{}, err
	}
	return tables(ownTicketViews(strings.TrimPrefix(schema, BookPath("")))), nil
}

// readReached returns the layer-1 height up to which random numbers may have been revealed, by any
// node.
func readReached(ctx context.Context, tx *sql.Tx) (block protocol.L1Block, err error) {
	err = tx.QueryRowContext(ctx, `SELECT block FROM tutti.ledger_reached`).Scan(&block)
	return block, err
}
