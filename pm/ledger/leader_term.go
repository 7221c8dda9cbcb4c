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

// Term is one node's time as the one that redeems the winning tickets of all books. It
// ends when another's begins; nothing is written in it after that, whatever its
// connection believes. It is safe for concurrent use.
type Term struct {
	// Reader reads what all books share: their winning tickets.
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
	err := db.QueryRowContext(ctx, `UPDATE tutti.ledger_leader SET term = term + 1, book = ?, since = ? RETURNING term`, book, nanos(now())).Scan(&t.number)
	if err == nil {
		t.stmts, err = prepare(ctx, db, findWinner, addProgress, updateWinner)
	}
	if err != nil {
		return nil, storeFault(op, err)
	}
	return t, nil
}

// led keeps faults of a connection that could not be made as they are.
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
	return t.inTerm(ctx, "look who redeems", func(*sql.Tx) error { return nil })
}

// do does something in the term: another's cannot begin before it is done.
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
	const op = "note the progress of a ticket"
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

// Sending notes that a winning ticket is about to be sent, which tells the random
// number of tickets that expired at a block: from then on no book takes such. Where
// another node noted the same less than grace ago the fault is StoreTakeover: what it
// sent may not be seen yet.
func (t *Term) Sending(ctx context.Context, hash protocol.Hash, expired protocol.L1Block, grace time.Duration) error {
	const op = "send a winning ticket"
	return t.inTerm(ctx, op, func(tx *sql.Tx) error {
		if expired <= maxHeight {
			if _, err := tx.ExecContext(ctx, `UPDATE tutti.ledger_reached SET block = ?1 WHERE block < ?1`, int64(expired)); err != nil {
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
