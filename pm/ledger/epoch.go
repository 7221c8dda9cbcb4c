package ledger

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"time"

	"github.com/tuttinode/tutti/pm"
)

// Old secrets are kept so that late parameters are answered as expired, and so that their
// winners are redeemed. Parameters live for minutes, so retiredFor is ample. maxRetired
// bounds the secrets of a node that crashes again and again.
const (
	maxRetired = 1024
	retiredFor = 2 * time.Hour
)

// The states of an epoch.
const (
	epochOpen    = "open"
	epochClean   = "clean"
	epochCrashed = "crashed"
)

// beginEpoch begins a new epoch at every opening: the database may be an older copy, even one
// that was closed in order, without the tickets that were credited since. Nothing made under
// its secrets is accepted again.
func beginEpoch(ctx context.Context, tx *sql.Tx, opt Options, o *pm.Opening) error {
	now := nanos(opt.Now())
	var state string
	var last pm.EpochID
	err := tx.QueryRowContext(ctx, `SELECT id, state FROM ledger_epoch ORDER BY id DESC LIMIT 1`).Scan(&last, &state)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	o.Clean = !o.Restored && (err != nil || state == epochClean) // a new ledger has lost nothing
	if _, err := tx.ExecContext(ctx, `UPDATE ledger_epoch SET state = ?, ended = ? WHERE state = ?`, epochCrashed, now,
		epochOpen); err != nil {
		return err
	}
	o.Current.ID = max(o.Current.ID, last) + 1
	if _, err := io.ReadFull(opt.Rand, o.Current.Secret[:]); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO ledger_epoch (id, secret, state, opened, ended) VALUES (?, ?, ?, ?, 0)`,
		int64(o.Current.ID), o.Current.Secret[:], epochOpen, now)
	return err
}

// readRetired deletes the oldest epochs and reads the others.
func readRetired(ctx context.Context, tx *sql.Tx, opt Options, o *pm.Opening) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM ledger_epoch WHERE state <> ? AND (ended < ? OR id < ?)`,
		epochOpen, nanos(opt.Now().Add(-retiredFor)), int64(o.Current.ID)-maxRetired)
	if err != nil {
		return err
	}
	return each(ctx, tx, func(rows *sql.Rows) error {
		var e pm.Epoch
		err := rows.Scan(&e.ID, into(e.Secret[:]))
		o.Retired = append(o.Retired, e)
		return err
	}, `SELECT id, secret FROM ledger_epoch WHERE id <> ? ORDER BY id DESC`, int64(o.Current.ID))
}
