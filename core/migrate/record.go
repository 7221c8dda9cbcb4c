package migrate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/protocol"
)

// Outcome is what became of a ticket that was taken over.
type Outcome string

// The outcomes. A staged ticket waits for the chain; the others are for good.
const (
	Staged Outcome = "staged"
	// Taken: it is in the ledger, as won.
	Taken Outcome = "taken"
	// Used: it was redeemed before it came here.
	Used Outcome = "used"
	// Late: its rounds were over before it came here.
	Late Outcome = "late"
)

// Record is what was taken over, in tutti.db.
type Record struct{ db *sql.DB }

// Times are nanoseconds since 1970, amounts decimal numbers.
func tables() database.Tables {
	return database.Tables{Owner: "moving", Content: "records of what was taken over",
		Steps: []string{schema}}
}

const schema = `CREATE TABLE moving_source (
	dir   TEXT PRIMARY KEY,
	chain INTEGER NOT NULL,
	since INTEGER NOT NULL
) STRICT;
CREATE TABLE moving_ticket (
	hash       BLOB PRIMARY KEY CHECK (length(hash) = 32),
	source     TEXT NOT NULL,
	sender     BLOB NOT NULL,
	recipient  BLOB NOT NULL,
	face       TEXT NOT NULL,
	prob       BLOB NOT NULL,
	nonce      INTEGER NOT NULL,
	rand_hash  BLOB NOT NULL,
	round      INTEGER NOT NULL,
	round_hash BLOB NOT NULL,
	sig        BLOB NOT NULL,
	rand       BLOB NOT NULL,
	expiration INTEGER NOT NULL,
	outcome    TEXT NOT NULL CHECK (outcome IN ('staged', 'taken', 'used', 'late')),
	since      INTEGER NOT NULL
) STRICT;
CREATE INDEX moving_ticket_outcome ON moving_ticket (outcome);`

// OpenRecord brings the tables up to date.
func OpenRecord(ctx context.Context, db *sql.DB) (*Record, error) {
	if err := tables().Migrate(ctx, db); err != nil {
		return nil, fmt.Errorf("open the record of what was taken over: %w", err)
	}
	return &Record{db}, nil
}

// Came notes that something is taken over from a directory, so that it is looked at
// again at every start. Knows reports whether that was noted.
func (r *Record) Came(ctx context.Context, dir string, chain uint64, now time.Time) error {
	_, err := r.db.ExecContext(ctx, `INSERT INTO moving_source (dir, chain, since) VALUES (?, ?, ?)
		ON CONFLICT DO NOTHING`, dir, int64(chain), now.UnixNano())
	return err
}

// Knows reports whether something was taken over from a directory.
func (r *Record) Knows(ctx context.Context, dir string) (bool, error) {
	var n int
	err := r.db.QueryRowContext(ctx, `SELECT count(*) FROM moving_source WHERE dir = ?`, dir).Scan(&n)
	return n > 0, err
}

// Stage keeps tickets until the chain was asked about them, and returns how many were
// not known. All are kept, or none.
func (r *Record) Stage(ctx context.Context, dir string, tickets []Ticket, now time.Time) (fresh int, err error) {
	tx, err := r.db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	for i := range tickets {
		t := &tickets[i]
		w := &t.Ticket
		done, err := tx.ExecContext(ctx, `INSERT INTO moving_ticket (hash, source, sender, recipient, face, prob, nonce,
			rand_hash, round, round_hash, sig, rand, expiration, outcome, since)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'staged', ?) ON CONFLICT DO NOTHING`,
			t.Hash[:], dir, w.Sender[:], w.Recipient[:], w.FaceValue.String(), w.WinProb[:], int64(w.SenderNonce),
			w.RecipientRandHash[:],
			int64(w.CreationRound), w.CreationRoundHash[:], w.Signature[:], w.RecipientRand[:], int64(t.ExpirationBlock),
			now.UnixNano())
		if err != nil {
			return 0, err
		}
		n, err := done.RowsAffected()
		if err != nil {
			return 0, err
		}
		fresh += int(n)
	}
	return fresh, tx.Commit()
}

// Waiting returns the staged tickets that pay a recipient.
func (r *Record) Waiting(ctx context.Context, recipient core.Address) (out []Ticket, err error) {
	rows, err := r.db.QueryContext(ctx, `SELECT hash, sender, recipient, face, prob, nonce, rand_hash, round, round_hash,
		sig, rand, expiration
		FROM moving_ticket WHERE outcome = 'staged' AND recipient = ? ORDER BY round, hash`, recipient[:])
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		t, err := scanTicket(rows)
		if err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		out = append(out, t)
	}
	return out, errors.Join(rows.Err(), rows.Close())
}

func scanTicket(rows *sql.Rows) (t Ticket, err error) {
	w := &t.Ticket
	var hash, sender, recipient, prob, randHash, roundHash, sig, random []byte
	var face string
	err = rows.Scan(&hash, &sender, &recipient, &face, &prob, &w.SenderNonce, &randHash, &w.CreationRound, &roundHash,
		&sig, &random, &t.ExpirationBlock)
	if err != nil {
		return t, err
	}
	copy(w.Sender[:], sender)
	copy(w.Recipient[:], recipient)
	copy(w.WinProb[:], prob)
	copy(w.RecipientRandHash[:], randHash)
	copy(w.CreationRoundHash[:], roundHash)
	copy(w.Signature[:], sig)
	copy(w.RecipientRand[:], random)
	if err := w.FaceValue.UnmarshalText([]byte(face)); err != nil {
		return t, err
	}
	if t.Hash = w.Hash(); string(t.Hash[:]) != string(hash) {
		return t, fmt.Errorf("the ticket %x in the record is damaged", hash)
	}
	return t, nil
}

// Settle notes what became of a ticket.
func (r *Record) Settle(ctx context.Context, hash protocol.Hash, o Outcome, now time.Time) error {
	_, err := r.db.ExecContext(ctx, `UPDATE moving_ticket SET outcome = ?, since = ? WHERE hash = ?`, string(o),
		now.UnixNano(), hash[:])
	return err
}

// Counts returns how many tickets came to each outcome.
func (r *Record) Counts(ctx context.Context) (map[Outcome]int, error) {
	out := make(map[Outcome]int)
	rows, err := r.db.QueryContext(ctx, `SELECT outcome, count(*) FROM moving_ticket GROUP BY outcome`)
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		var o string
		var n int
		if err := rows.Scan(&o, &n); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		out[Outcome(o)] = n
	}
	return out, errors.Join(rows.Err(), rows.Close())
}
