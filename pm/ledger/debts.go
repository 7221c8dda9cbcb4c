package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// debtsFor is for how long the ledger reports unpaid balances of gateways: as long as they
// count while the node runs.
const debtsFor = 24 * time.Hour

// hour numbers the hours since 1970.
type hour int64

// debtKey is a gateway in an hour.
type debtKey struct {
	sender core.Address
	hour   hour
}

// debts are what gateways paid and left unpaid, by hour.
type debts map[debtKey]*pm.Debt

// at finds or adds the record of a gateway for one hour and extends it to two times in that
// hour.
func (d debts) at(sender core.Address, first, last int64) *pm.Debt {
	key := debtKey{sender, hour(first / int64(time.Hour))}
	e := d[key]
	if e == nil {
		e = &pm.Debt{Sender: sender, First: timeOf(first), Last: timeOf(last)}
		d[key] = e
	}
	if t := timeOf(first); t.Before(e.First) {
		e.First = t
	}
	if t := timeOf(last); t.After(e.Last) {
		e.Last = t
	}
	return e
}

// openDebts reads what gateways left unpaid in closed accounts, with what they paid in the same
// time. Without it a restart would cancel every such debt.
func openDebts(ctx context.Context, tx *sql.Tx, opt Options, o *pm.Opening) error {
	since := nanos(opt.Now().Add(-debtsFor))
	all := make(debts)
	owing, err := all.closings(ctx, tx, since)
	if err != nil {
		return err
	}
	for _, b := range o.Balances {
		if b.Value.Sign() < 0 {
			owing[b.Account.Sender] = true
		}
	}
	if len(owing) == 0 {
		return nil
	}
	if err := all.payments(ctx, tx, since, owing); err != nil {
		return err
	}
	for key, d := range all {
		if owing[key.sender] {
			o.Debts = append(o.Debts, *d)
		}
	}
	slices.SortFunc(o.Debts, func(a, b pm.Debt) int {
		return cmp.Or(a.First.Compare(b.First), slices.Compare(a.Sender[:], b.Sender[:]))
	})
	return nil
}

// closings reads what was left in closed accounts. owing are the gateways that left more unpaid
// than they left over in other accounts.
func (d debts) closings(ctx context.Context, tx *sql.Tx, since int64) (owing map[core.Address]bool, err error) {
	net := make(map[core.Address]pm.Value)
	err = each(ctx, tx, func(rows *sql.Rows) error {
		var sender core.Address
		var left pm.Value
		var at int64
		var stale bool
		if err := rows.Scan(into(sender[:]), value{&left}, &at, &stale); err != nil {
			return err
		}
		switch e := d.at(sender, at, at); {
		case left.Sign() < 0:
			e.Given = e.Given.Sub(left)
		case stale:
			return nil
		default:
			e.Kept = e.Kept.Add(left)
		}
		net[sender] = net[sender].Sub(left)
		return nil
	}, `SELECT a.sender, e.amount, e.at, e.stale FROM ledger_entry e JOIN ledger_account a ON a.id = e.account
		WHERE e.kind = 3 AND e.at >= ?`, since)
	owing = make(map[core.Address]bool)
	for sender, v := range net {
		if v.Sign() > 0 {
			owing[sender] = true
		}
	}
	return owing, err
}

// payments reads the expected value of some gateways' tickets.
func (d debts) payments(ctx context.Context, tx *sql.Tx, since int64, of map[core.Address]bool) error {
	return each(ctx, tx, func(rows *sql.Rows) error {
		var sender core.Address
		var period, first, last, tickets int64
		var terms pm.Params
		var prob protocol.Word
		err := rows.Scan(into(sender[:]), &period, &first, &last, wei{&terms.FaceValue}, into(prob[:]), &tickets)
		if err != nil || !of[sender] {
			return err
		}
		terms.WinProb = prob
		e := d.at(sender, first, last)
		e.Paid = e.Paid.Add(terms.EV().Times(tickets))
		return nil
	}, `SELECT a.sender, e.at / 3600000000000 AS period, min(e.at), max(e.at), e.face, e.prob, sum(e.tickets)
		FROM ledger_entry e JOIN ledger_account a ON a.id = e.account WHERE e.kind = 1 AND e.at >= ?
		GROUP BY a.sender, period, e.face, e.prob`, since)
}
