package ledger

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/pm"
)

// Mark is how far a ledger got, stored outside its database. A database that is behind its mark
// was restored from an older copy.
type Mark struct {
	// Ledger is the identity of the ledger. It reveals nothing of the secrets.
	Ledger string `json:"ledger"`
	// Epoch is the newest epoch, and Commits the newest commit that was marked in it.
	Epoch   pm.EpochID `json:"epoch"`
	Commits int64      `json:"commits"`
	// Moved is the book of the shared database that the ledger was moved into, "" while it is
	// in use here.
	Moved string `json:"moved,omitempty"`
}

// Marker stores a ledger's mark; core/database has one in a file.
type Marker interface {
	// Load returns the mark, false where there is none.
	Load() (Mark, bool, error)
	// Store returns when the mark is on disk.
	Store(Mark) error
}

// noMarker is the Marker of a ledger without one.
type noMarker struct{}

func (noMarker) Load() (Mark, bool, error) { return Mark{}, false, nil }
func (noMarker) Store(Mark) error          { return nil }

// loadMark reads a mark; the error is the fault LedgerMarkDamaged.
func loadMark(from Marker) (Mark, error) {
	kept, _, err := from.Load()
	if err != nil {
		return kept, fault.Wrap(fault.LedgerMarkDamaged, "read how far the books had come", err)
	}
	return kept, nil
}

// after reports whether a mark is further than another of the same ledger.
func (m Mark) after(o Mark) bool {
	return m.Ledger == o.Ledger && (m.Epoch > o.Epoch || m.Epoch == o.Epoch && m.Commits > o.Commits)
}

// identity returns the ledger's name in its marks: different ledgers have different token secrets,
// and copies have the same.
func identity(token pm.Secret) string {
	sum := sha256.Sum256(append([]byte("tutti ledger "), token[:]...))
	return hex.EncodeToString(sum[:8])
}

// presentMark returns how far the ledger in the database is.
func presentMark(ctx context.Context, tx *sql.Tx, token pm.Secret) (m Mark, err error) {
	m.Ledger = identity(token)
	err = tx.QueryRowContext(ctx, `SELECT commits, moved FROM ledger_state`).Scan(&m.Commits, &m.Moved)
	if err != nil {
		return m, err
	}
	err = tx.QueryRowContext(ctx, `SELECT coalesce(max(id), 0) FROM ledger_epoch`).Scan(&m.Epoch)
	return m, err
}

// checkMark compares the ledger with its mark. A ledger that was moved is not opened. One that
// is behind its mark is an older copy than the node worked with last.
func checkMark(ctx context.Context, tx *sql.Tx, opt Options, o *pm.Opening) error {
	now, err := presentMark(ctx, tx, o.Token)
	if err != nil {
		return err
	}
	kept, err := loadMark(opt.Mark)
	if err != nil {
		return err
	}
	if kept.Ledger == now.Ledger && now.Moved == "" {
		now.Moved = kept.Moved
	}
	if now.Moved != "" {
		return fault.New(fault.LedgerMoved, "open the ledger", "the books are now the book "+now.Moved)
	}
	if kept.after(now) {
		o.Restored = true
		if err := flagStale(ctx, tx, opt); err != nil {
			return err
		}
		o.Current.ID = kept.Epoch // the next epoch follows all earlier ones
		opt.Board.Set(health.Key{Code: fault.LedgerRestored}, fmt.Sprintf(
			"the books are at epoch %d, commit %d, and the node had reached epoch %d, commit %d", now.Epoch,
			now.Commits, kept.Epoch, kept.Commits))
	}
	return nil
}

// flagStale marks the credit that an older copy shows: balances, and what was left in closed
// accounts, may have been spent since. The flags are stored, because the next start finds the
// mark in order, and this process may be killed before it closes an account.
func flagStale(ctx context.Context, tx *sql.Tx, opt Options) error {
	if _, err := tx.ExecContext(ctx, `UPDATE ledger_account SET used = 0
		WHERE open = 1 AND balance <> '0' AND balance NOT LIKE '-%'`); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE ledger_entry SET stale = 1 WHERE kind = 3 AND at >= ?`,
		nanos(opt.Now().Add(-debtsFor)))
	return err
}

// mark stores how far the ledger is, if that changed.
func (l *Ledger) mark() error {
	next := Mark{Ledger: l.identity, Epoch: l.epoch, Commits: l.commits}
	if next == l.marked {
		return nil
	}
	err := l.opt.Mark.Store(next)
	if err == nil {
		l.marked = next
	}
	return err
}

// storeMark calls mark while the ledger runs. A failed mark is stored later; until then a
// restored copy may pass for the newest.
func (l *Ledger) storeMark() {
	if err := l.mark(); err != nil {
		l.opt.Log.Debug("ledger mark not stored", "err", err)
	}
}
