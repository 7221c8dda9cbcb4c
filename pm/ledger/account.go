package ledger

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/tuttinode/tutti/pm"
)

// account is one account as a group changes it.
type account struct {
	id      int64
	open    bool
	balance pm.Value
	// live counts the entries that are not archived.
	live int64
	// price is the price of its first work, "" before that.
	price string
	used  int64
}

// account finds an account, or adds a closed and empty one.
func (g *group) account(ctx context.Context, owner pm.Account, at time.Time) (*account, error) {
	if a := g.accounts[owner]; a != nil {
		a.used = max(a.used, nanos(at))
		return a, nil
	}
	a := &account{used: nanos(at)}
	err := g.queryRow(ctx, findAccount, owner.Sender[:], string(owner.Key)).Scan(&a.id, &a.open, value{&a.balance},
		&a.live, &a.price)
	if errors.Is(err, sql.ErrNoRows) {
		err = g.addAccount(ctx, owner, a)
	}
	if err != nil {
		return nil, err
	}
	g.accounts[owner] = a
	return a, nil
}

func (g *group) isOpen(ctx context.Context, owner pm.Account) (bool, error) {
	if a := g.accounts[owner]; a != nil {
		return a.open, nil
	}
	var a account
	err := g.queryRow(ctx, findAccount, owner.Sender[:], string(owner.Key)).Scan(&a.id, &a.open, value{&a.balance},
		&a.live, &a.price)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return a.open, err
}

func (g *group) addAccount(ctx context.Context, owner pm.Account, a *account) error {
	var err error
	a.id, err = g.insert(ctx, addAccount, owner.Sender[:], string(owner.Key), a.used, a.used)
	return err
}

// flushAccounts writes the accounts that the group touched.
func (g *group) flushAccounts(ctx context.Context) error {
	for _, a := range g.accounts {
		if _, err := g.exec(ctx, setAccount, a.open, amountText(a.balance), a.live, a.price, a.used, a.id); err != nil {
			return err
		}
	}
	return nil
}

// debit records billed work. Free work opens no account: nothing would ever close it.
func (g *group) debit(ctx context.Context, d *pm.Debit) error {
	a, err := g.account(ctx, d.Account, d.At)
	if err != nil {
		return err
	}
	if bill := d.Value(); bill.Sign() != 0 {
		a.open, a.balance = true, a.balance.Sub(bill)
	}
	if a.price == "" {
		a.price = d.Price.String()
	}
	a.live++
	_, err = g.exec(ctx, addDebit, g.next(), a.id, int64(d.Round), nanos(d.At), string(d.Session), d.Pipeline, d.Model,
		d.Worker,
		d.Price.PerUnit, max(1, d.Price.PixelsPerUnit), d.Units, d.Produced)
	return err
}

// close ends an account with the balance of the ledger. If the caller claims another balance,
// that is recorded for Verify.
func (g *group) close(ctx context.Context, c *pm.Closing) error {
	if c.Left.Sign() == 0 {
		// Accounts of free work are not open in the ledger.
		if open, err := g.isOpen(ctx, c.Account); err != nil || !open {
			return err
		}
	}
	a, err := g.account(ctx, c.Account, c.At)
	if err != nil {
		return err
	}
	left := a.balance
	var claimed any
	if left.Cmp(c.Left) != 0 {
		claimed = amountText(c.Left)
		g.l.opt.Log.Error("an account was closed with another balance than the ledger's",
			"gateway", c.Account.Sender.String(), "account", string(c.Account.Key), "books", left.String(), "claimed",
			c.Left.String())
	}
	a.open, a.balance = false, pm.Value{}
	a.live++
	_, err = g.exec(ctx, addClosing, g.next(), a.id, int64(c.Round), nanos(c.At), amountText(left), claimed,
		c.Stale)
	return err
}
