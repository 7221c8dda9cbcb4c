package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// Term is the time during which one node redeems the winning tickets of all books. It ends when
// another node's term begins; the database refuses writes of an ended term. It is safe for
// concurrent use.
type Term struct {
	// Reader reads the winning tickets of all books.
	*Reader
	db     *sql.DB
	stmts  *prepared
	number int64
	book   string
}

// Lead begins a term over the connection that holds the leader's lock.
func Lead(ctx context.Context, db *sql.DB, book string, now func() time.Time) (*Term, error) {
	const op = "redeem for all books"
	t := &Term{Reader: &Reader{db}, db: db, book: book}
	err := db.QueryRowContext(ctx, `UPDATE tutti.ledger_leader SET term = term + 1, book = ?, since = ? RETURNING term`,
		book, nanos(now())).Scan(&t.number)
	if err == nil {
		t.stmts, err = prepare(ctx, db, findWinner, addProgress, updateWinner)
	}
	if err != nil {
		return nil, storeFault(op, err)
	}
	return t, nil
}

// storeFault wraps a database error, and returns a fault unchanged.
func storeFault(op string, err error) error {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*fault.Fault](err); ok {
		return f
	}
	return fault.Wrap(fault.StoreUnreachable, op, err)
}

// Holds returns an error when the term has ended.
func (t *Term) Holds(ctx context.Context) error {
	return t.inTerm(ctx, "check which node redeems", func(*sql.Tx) error { return nil })
}

// inTerm runs f in a database transaction of the term: another term cannot begin before it ends.
func (t *Term) inTerm(ctx context.Context, op string, f func(*sql.Tx) error) error {
	tx, err := t.db.BeginTx(ctx, nil)
	if err != nil {
		return storeFault(op, err)
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	var one int
	err = tx.QueryRowContext(ctx, `SELECT 1 FROM tutti.ledger_leader WHERE term = ? FOR SHARE`, t.number).Scan(&one)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return fault.New(fault.StoreNotLeading, op, "another node took over")
	case err != nil:
		return storeFault(op, err)
	}
	if err := f(tx); err != nil {
		return storeFault(op, err)
	}
	return storeFault(op, tx.Commit())
}

// Progress is Ledger.Progress for a winning ticket of any book.
func (t *Term) Progress(ctx context.Context, p pm.Progress) error {
	const op = "record the progress of a ticket"
	if err := validateProgress(op, &p); err != nil {
		return err
	}
	p.Reason = truncated(p.Reason)
	return t.inTerm(ctx, op, func(tx *sql.Tx) error {
		g := &group{tx: tx, stmts: t.stmts}
		if err := g.progress(ctx, op, &p); err != nil || !p.State.Ended() {
			return err
		}
		_, err := tx.ExecContext(ctx, `DELETE FROM tutti.ledger_sending WHERE hash = ?`, p.Hash[:])
		return err
	})
}

// Sending records that a winning ticket is about to be sent, which reveals the random number of
// tickets that expired at a block: from then on no book accepts such tickets. If another node
// recorded the same ticket less than grace ago, the fault is StoreTakeover: its transaction may
// not be visible yet.
func (t *Term) Sending(ctx context.Context, hash protocol.Hash, expired protocol.L1Block, grace time.Duration) error {
	const op = "send a winning ticket"
	return t.inTerm(ctx, op, func(tx *sql.Tx) error {
		if expired <= maxHeight {
			if _, err := tx.ExecContext(ctx, `UPDATE tutti.ledger_reached SET block = ?1 WHERE block < ?1`,
				int64(expired)); err != nil {
				return err
			}
		}
		// The database's clock is the same for all nodes.
		done, err := tx.ExecContext(ctx, `INSERT INTO tutti.ledger_sending AS s (hash, book, at)
			VALUES (?, ?, (extract(epoch FROM clock_timestamp()) * 1000000000)::bigint)
			ON CONFLICT (hash) DO UPDATE SET book = excluded.book, at = excluded.at
			WHERE s.book = excluded.book OR s.at <= excluded.at - ?3 OR s.at > excluded.at + ?3`, hash[:], t.book, int64(grace))
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n == 1 {
			return err
		}
		return fault.New(fault.StoreTakeover, op, fmt.Sprintf("it waits %v", grace))
	})
}
