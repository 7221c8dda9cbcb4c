package txmgr

import (
	"context"
	"database/sql"
	"errors"

	"github.com/tuttinode/tutti/core/protocol"
)

// archiveColumns are the columns of archived records, per table.
func archiveColumns() map[string]string {
	return map[string]string{
		"journal_tx":      columns,
		"journal_attempt": `id, n, hash, raw, cancel, repriced, signed`,
	}
}

// SelectChain sets the journal's chain, by the hash of its block 0. When that differs from before, the
// records are archived in one write, and those that the chain had when it was last used come back: nonces and
// Once texts belong to one chain. changed reports that; then Load returns other records. A journal without a
// chain takes the first.
func (s *JournalStore) SelectChain(ctx context.Context, genesis protocol.Hash) (changed bool, err error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return false, failed("write the journal", err)
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	var was []byte
	err = tx.QueryRowContext(ctx, `SELECT genesis FROM journal_chain WHERE chain = ? AND account = ?`, s.chain,
		s.account).Scan(&was)
	switch {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return false, failed("read the journal's chain", err)
	case protocol.Hash(was) == genesis:
		return false, nil
	default:
		changed = true
		if err := s.archiveAndRestore(ctx, tx, was, genesis[:]); err != nil {
			return false, failed("set transactions aside", err)
		}
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO journal_chain (chain, account, genesis) VALUES (?, ?, ?)
		ON CONFLICT (chain, account) DO UPDATE SET genesis = excluded.genesis`, s.chain, s.account, genesis[:])
	if err != nil {
		return false, failed("write the journal's chain", err)
	}
	return changed, failed("write the journal", tx.Commit())
}

// archiveAndRestore archives the records, and restores those of the other chain.
func (s *JournalStore) archiveAndRestore(ctx context.Context, tx *sql.Tx, from, to []byte) error {
	// Transactions come before their attempts, which refer to them.
	tables := []string{"journal_tx", "journal_attempt"}
	for _, t := range tables {
		_, err := tx.ExecContext(ctx, `INSERT INTO `+t+`_past (genesis, chain, account, `+archiveColumns()[t]+`)
			SELECT ?3, chain, account, `+archiveColumns()[t]+` FROM `+t+`
			WHERE chain = ?1 AND account = ?2`, s.chain, s.account, from)
		if err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM journal_tx WHERE chain = ? AND account = ?`, s.chain,
		s.account); err != nil {
		return err
	}
	for _, t := range tables {
		_, err := tx.ExecContext(ctx, `INSERT INTO `+t+` (chain, account, `+archiveColumns()[t]+`)
			SELECT chain, account, `+archiveColumns()[t]+` FROM `+t+`_past
			WHERE chain = ?1 AND account = ?2 AND genesis = ?3`, s.chain, s.account, to)
		if err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM journal_tx_past WHERE chain = ? AND account = ? AND genesis = ?`, s.chain,
		s.account, to)
	return err
}
