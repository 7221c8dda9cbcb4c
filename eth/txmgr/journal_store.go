package txmgr

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// JournalStore is the journal of one account on one chain. It is safe for concurrent
// use; there must be one writer per account.
type JournalStore struct {
	db      *sql.DB
	chain   int64
	account []byte
}

// OpenJournal brings the journal's tables up to date and returns the part of an account.
// The database is one of core/database and stays the caller's. Errors of all
// methods are the fault TxJournalFailed.
func OpenJournal(ctx context.Context, db *sql.DB, chainID uint64, account core.Address) (*JournalStore, error) {
	if err := tables().Migrate(ctx, db); err != nil {
		return nil, failed("open the journal", err)
	}
	return &JournalStore{db: db, chain: int64(chainID), account: account[:]}, nil
}

// failed is err as a fault, nil for nil.
func failed(op string, err error) error {
	if err == nil {
		return nil
	}
	return fault.Wrap(fault.TxJournalFailed, op, err)
}

// Load returns the records that are not settled and the last ones that are, in
// the order of their IDs.
func (s *JournalStore) Load(ctx context.Context) ([]Record, error) {
	records, err := s.query(ctx, `WHERE chain = ?1 AND account = ?2 AND (settled = 0 OR id IN
		(SELECT id FROM journal_tx WHERE chain = ?1 AND account = ?2 AND settled = 1 ORDER BY id DESC LIMIT ?3)) ORDER BY id`,
		s.chain, s.account, JournalKept)
	return records, failed("load the journal", err)
}

// Find returns the newest record with a Once text.
func (s *JournalStore) Find(ctx context.Context, once string) (Record, bool, error) {
	if once == "" {
		return Record{}, false, nil
	}
	records, err := s.query(ctx, `WHERE chain = ? AND account = ? AND once = ? AND once <> '' ORDER BY id DESC LIMIT 1`,
		s.chain, s.account, once)
	if err != nil || len(records) == 0 {
		return Record{}, false, failed("look for a transaction", err)
	}
	return records[0], true, nil
}

// query reads records and, after the rows are closed, their attempts: the
// database has one connection.
func (s *JournalStore) query(ctx context.Context, where string, args ...any) ([]Record, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT `+columns+` FROM journal_tx `+where, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []Record
	for rows.Next() {
		r, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, err
	}
	for i := range out {
		if out[i].Attempts, err = s.attempts(ctx, out[i].ID); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Put writes records, all or none. They are on disk when it returns. It fails where
// a record is not what it was, but for its state and further attempts.
func (s *JournalStore) Put(ctx context.Context, records ...Record) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return failed("write the journal", err)
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	settled := false
	for _, r := range records {
		if err := s.put(ctx, tx, r); err != nil {
			return failed(fmt.Sprintf("write transaction %d to the journal", r.ID), err)
		}
		settled = settled || r.Settled
	}
	if settled {
		if err := s.prune(ctx, tx); err != nil {
			return failed("shorten the journal", err)
		}
	}
	return failed("write the journal", tx.Commit())
}

// prune forgets what ended long ago. What succeeded and must not happen twice
// stays, without its bytes.
func (s *JournalStore) prune(ctx context.Context, tx *sql.Tx) error {
	const old = `chain = ?1 AND account = ?2 AND settled = 1 AND id <=
		(SELECT id FROM journal_tx WHERE chain = ?1 AND account = ?2 AND settled = 1 ORDER BY id DESC LIMIT 1 OFFSET ?3)`
	_, err := tx.ExecContext(ctx, `DELETE FROM journal_tx WHERE `+old+` AND NOT (once <> '' AND state = 'final')`,
		s.chain, s.account, JournalKept)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE journal_attempt SET raw = x'' WHERE length(raw) > 0
		AND chain = ?1 AND account = ?2 AND id IN
		(SELECT id FROM journal_tx WHERE `+old+`)`, s.chain, s.account, JournalKept)
	return err
}
