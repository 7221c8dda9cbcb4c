package ledger

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// Old secrets are kept so that parameters which come back late are answered as
// expired, and so that what they won is redeemed. Parameters live for minutes, so that
// retiredFor is ample, however often the node crashed meanwhile; retiredMost only
// bounds what a node remembers that does nothing but crash.
const (
	retiredMost = 1024
	retiredFor  = 2 * time.Hour
)

// The states of an epoch.
const (
	epochOpen    = "open"
	epochClean   = "clean"
	epochCrashed = "crashed"
)

// begin marks the ledger as in use and reads what it remembers, in one
// transaction.
func begin(ctx context.Context, opt Options) (o pm.Opening, at current, err error) {
	tx, err := opt.DB.BeginTx(ctx, nil)
	if err != nil {
		return o, at, err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	for _, step := range []func(context.Context, *sql.Tx, Options, *pm.Opening) error{token, compare, sound, enter,
		retired, openBalances, openDebts} {
		if err := step(ctx, tx, opt, &o); err != nil {
			return o, at, err
		}
	}
	if at, err = readCurrent(ctx, tx); err != nil {
		return o, at, err
	}
	o.Expired = at.expired // how far the chain was when sets were put away last
	return o, at, tx.Commit()
}

// token reads the secret of auth tokens, or makes it.
func token(ctx context.Context, tx *sql.Tx, opt Options, o *pm.Opening) error {
	err := tx.QueryRowContext(ctx, `SELECT secret FROM ledger_token`).Scan(into(o.Token[:]))
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if _, err := io.ReadFull(opt.Rand, o.Token[:]); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO ledger_token (one, secret) VALUES (1, ?)`, o.Token[:])
	return err
}

// enter begins an epoch, at every opening: the database may be a copy of an older
// state, also of one that was ended in order, and the tickets that were credited since
// the copy are not in it. Nothing made under the secrets that are in it is taken again.
func enter(ctx context.Context, tx *sql.Tx, opt Options, o *pm.Opening) error {
	now := nanos(opt.Now())
	var state string
	var last pm.EpochID
	err := tx.QueryRowContext(ctx, `SELECT id, state FROM ledger_epoch ORDER BY id DESC LIMIT 1`).Scan(&last, &state)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	o.Clean = !o.Restored && (err != nil || state == epochClean) // nothing was lost of a ledger that is new
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

// retired forgets the oldest epochs and reads the others.
func retired(ctx context.Context, tx *sql.Tx, opt Options, o *pm.Opening) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM ledger_epoch WHERE state <> ? AND (ended < ? OR id < ?)`,
		epochOpen, nanos(opt.Now().Add(-retiredFor)), int64(o.Current.ID)-retiredMost)
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

func openBalances(ctx context.Context, tx *sql.Tx, _ Options, o *pm.Opening) error {
	return each(ctx, tx, func(rows *sql.Rows) error {
		var b pm.Balance
		var name string
		var used int64
		err := rows.Scan(into(b.Account.Sender[:]), &name, value{&b.Value}, &used)
		b.Account.Key, b.Used = core.ManifestID(name), timeOf(used)
		o.Balances = append(o.Balances, b)
		return err
	}, `SELECT sender, name, balance, used FROM ledger_account WHERE open = 1 ORDER BY id`)
}

// current is what the ledger's single row of state says.
type current struct {
	last, archived int64
	// commits counts the groups that were written: where nobody knows whether one was,
	// it tells.
	commits int64
	before  protocol.Round
	expired protocol.L1Block
	// low is the height that the chain showed when expired was found to be wrong.
	low protocol.L1Block
}

func readCurrent(ctx context.Context, q querier) (c current, err error) {
	err = q.QueryRowContext(ctx, `SELECT last, archived, before, expired, low, commits FROM ledger_state`).Scan(&c.last, &c.archived, &c.before, &c.expired, &c.low, &c.commits)
	return c, err
}
