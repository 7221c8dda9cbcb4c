package paymentlog

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// defaultKeep is how many payments are stored one by one.
const defaultKeep = 200_000

// recently is how far back nonces are read at the start. Ticket parameters are valid for
// minutes.
const recently = 24 * time.Hour

// Options make a Store. DB and Sender must be set.
type Options struct {
	// DB is a database of core/database; the caller closes it.
	DB *sql.DB
	// Sender is the account that pays.
	Sender core.Address
	// Keep is how many payments are stored one by one; older ones become sums. Default 200 000.
	Keep int
	// Board gets the condition of a failed write; nil gets none.
	Board *health.Board
	Log   *slog.Logger
	Now   func() time.Time
}

// Store is one account's payment log. It is a lifecycle component, whose Run writes, and safe
// for concurrent use. There must be one per account and database.
type Store struct {
	opt Options
	db  *sql.DB

	insert, settle, keep *sql.Stmt

	mu      sync.Mutex
	queue   []*entry
	credits map[string]Credit // to be written
	// writeOffs are to be written, nil for none.
	writeOffs map[writeOffKey]pm.Value
	running   bool
	stopped   bool
	next      ID
	// rows is how many payments are stored one by one; only Run changes it.
	rows int
	// wake is filled while a caller waits for an entry in the queue, later while the queue is
	// not empty.
	wake, later chan struct{}

	// folding prevents summing up payments while a report reads them.
	folding sync.RWMutex
}

// Open brings the tables up to date and returns the account's log. Payments whose result the
// previous process did not learn become unknown. issued are the recently used nonces. Errors of
// all methods are the fault SpentFailed, or Canceled.
func Open(ctx context.Context, opt Options) (s *Store, issued []Issued, err error) {
	if opt.Keep <= 0 {
		opt.Keep = defaultKeep
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	s = &Store{opt: opt, db: opt.DB, wake: make(chan struct{}, 1), later: make(chan struct{}, 1),
		credits: make(map[string]Credit)}
	const op = "open the account of payments"
	if err := tables().Migrate(ctx, opt.DB); err != nil {
		return nil, nil, failed(op, err)
	}
	if err := s.recover(ctx); err != nil {
		return nil, nil, failed(op, err)
	}
	if err := s.prepare(ctx); err != nil {
		return nil, nil, errors.Join(failed(op, err), s.Close())
	}
	issued, err = s.issued(ctx, opt.Now().Add(-recently))
	if err != nil {
		return nil, nil, errors.Join(failed(op, err), s.Close())
	}
	return s, issued, nil
}

// prepare prepares the statements of every payment.
func (s *Store) prepare(ctx context.Context) (err error) {
	for _, p := range []struct {
		to   **sql.Stmt
		text string
	}{{&s.insert, insertPayment}, {&s.settle, settlePayment}, {&s.keep, keepCredit}} {
		if *p.to, err = s.db.PrepareContext(ctx, p.text); err != nil {
			return err
		}
	}
	return nil
}

// Close releases the database, after Run has returned.
func (s *Store) Close() error {
	var errs []error
	for _, stmt := range []*sql.Stmt{s.insert, s.settle, s.keep} {
		if stmt != nil {
			errs = append(errs, stmt.Close())
		}
	}
	return failed("close the account of payments", errors.Join(errs...))
}

// failed is err as a fault, nil for nil; the end of a context keeps its own code.
func failed(op string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fault.Wrap(fault.CodeOf(err), op, err)
	}
	return fault.Wrap(fault.SpentFailed, op, err)
}

// recover marks open payments as unknown and finds the next number.
func (s *Store) recover(ctx context.Context) error {
	_, err := s.db.ExecContext(ctx, `UPDATE spent_payment SET state = ?, settled = ? WHERE sender = ? AND state = ?`,
		string(Unknown), s.opt.Now().UnixNano(), s.opt.Sender[:], string(Sent))
	if err != nil {
		return err
	}
	if err := s.db.QueryRowContext(ctx, `SELECT coalesce(max(id), 0) FROM spent_payment`).Scan(&s.next); err != nil {
		return err
	}
	return s.db.QueryRowContext(ctx, `SELECT count(*) FROM spent_payment WHERE sender = ?`, s.opt.Sender[:]).Scan(&s.rows)
}

// issued reads the last used nonce of each set since a time.
func (s *Store) issued(ctx context.Context, since time.Time) (out []Issued, err error) {
	rows, err := s.db.QueryContext(ctx, `SELECT rand_hash, max(last) FROM spent_payment
		WHERE sender = ? AND at >= ? AND last > 0 GROUP BY rand_hash`, s.opt.Sender[:], since.UnixNano())
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var hash []byte
		var last int64
		if err := rows.Scan(&hash, &last); err != nil {
			return nil, err
		}
		var i Issued
		if copy(i.RandHash[:], hash) != len(protocol.Hash{}) {
			return nil, errors.New("a payment's set has no whole hash")
		}
		i.Last = uint32(last)
		out = append(out, i)
	}
	return out, rows.Err()
}
