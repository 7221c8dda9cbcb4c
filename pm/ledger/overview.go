package ledger

import (
	"context"
	"database/sql"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// Overview is the ledger for display, without its secrets.
type Overview struct {
	// Entries are those that are not rolled up, Archived those that are.
	Entries, Archived int64
	// Before is the round below which entries were rolled up, Expired the layer-1
	// height up to which sets were dropped.
	Before  protocol.Round
	Expired protocol.L1Block
	Epochs  []EpochRow
	// Accounts are the open ones, last used first; Sets those that have not expired, newest
	// first. Both are limited by the caller; OpenAccounts and OpenSets count all.
	Accounts     []AccountRow
	Sets         []SetRow
	OpenAccounts int
	OpenSets     int
	// Tickets are winners by state.
	Tickets map[pm.TicketState]int
}

// EpochLine is an epoch without its secret: open, clean or crashed.
type EpochRow struct {
	ID            pm.EpochID
	State         string
	Opened, Ended time.Time
}

// AccountLine is an open account. Price is what its first work cost a unit.
type AccountRow struct {
	pm.Balance
	Opened time.Time
	Price  string
}

// SetLine is a set and how many of its tickets were credited.
type SetRow struct {
	RandHash        protocol.Hash
	Sender          core.Address
	Epoch           pm.EpochID
	ExpirationBlock protocol.L1Block
	Credited        int64
}

// Overview reads the ledger, with at most so many accounts and sets.
func (r *Reader) Overview(ctx context.Context, most int) (o Overview, err error) {
	err = r.inSnapshot(ctx, "read the ledger", func(tx *sql.Tx) error {
		now, err := readCurrent(ctx, tx)
		if err != nil {
			return err
		}
		o.Entries, o.Archived, o.Before, o.Expired = now.last-now.archived, now.archived, now.before, now.expired
		if o.Tickets, err = counts(ctx, tx); err != nil {
			return err
		}
		if err := o.epochs(ctx, tx); err != nil {
			return err
		}
		if err := o.accounts(ctx, tx, most); err != nil {
			return err
		}
		return o.sets(ctx, tx, most)
	})
	return o, err
}

func (o *Overview) epochs(ctx context.Context, tx *sql.Tx) error {
	return each(ctx, tx, func(rows *sql.Rows) error {
		var e EpochRow
		var opened, ended int64
		err := rows.Scan(&e.ID, &e.State, &opened, &ended)
		e.Opened, e.Ended = timeOf(opened), timeOf(ended)
		o.Epochs = append(o.Epochs, e)
		return err
	}, `SELECT id, state, opened, ended FROM ledger_epoch ORDER BY id DESC`)
}

func (o *Overview) accounts(ctx context.Context, tx *sql.Tx, most int) error {
	err := tx.QueryRowContext(ctx, `SELECT count(*) FROM ledger_account WHERE open = 1`).Scan(&o.OpenAccounts)
	if err != nil {
		return err
	}
	return each(ctx, tx, func(rows *sql.Rows) error {
		var a AccountRow
		var used, opened int64
		err := rows.Scan(into(a.Account.Sender[:]), &a.Account.Key, value{&a.Value}, &used, &opened, &a.Price)
		a.Used, a.Opened = timeOf(used), timeOf(opened)
		o.Accounts = append(o.Accounts, a)
		return err
	}, `SELECT sender, name, balance, used, opened, price FROM ledger_account WHERE open = 1
		ORDER BY used DESC, id DESC LIMIT ?`, most)
}

func (o *Overview) sets(ctx context.Context, tx *sql.Tx, most int) error {
	err := tx.QueryRowContext(ctx, `SELECT count(*) FROM ledger_set`).Scan(&o.OpenSets)
	if err != nil {
		return err
	}
	return each(ctx, tx, func(rows *sql.Rows) error {
		var s SetRow
		err := rows.Scan(into(s.RandHash[:]), into(s.Sender[:]), &s.Epoch, &s.ExpirationBlock, &s.Credited)
		o.Sets = append(o.Sets, s)
		return err
	}, `SELECT rand_hash, sender, epoch, expiration, credited FROM ledger_set ORDER BY id DESC LIMIT ?`, most)
}

// Payers returns the senders that have or recently had an account, last used first, at most so
// many.
func (r *Reader) Payers(ctx context.Context, most int) (out []core.Address, err error) {
	err = each(ctx, r.db, func(rows *sql.Rows) error {
		var owner core.Address
		err := rows.Scan(into(owner[:]))
		out = append(out, owner)
		return err
	}, `SELECT sender FROM ledger_account WHERE sender <> ? GROUP BY sender ORDER BY max(used) DESC LIMIT ?`,
		make([]byte, len(core.Address{})), most)
	return out, unreadable("read the payers", err)
}
