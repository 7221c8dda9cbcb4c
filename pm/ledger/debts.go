package ledger

import (
	"context"
	"database/sql"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// debtsFor is for how long the books say what gateways left unpaid: as long as it
// counts against them while the node runs.
const debtsFor = 24 * time.Hour

// openDebts reads what gateways left unpaid in accounts that are closed. Without it a
// restart would cancel every such debt.
func openDebts(ctx context.Context, tx *sql.Tx, opt Options, o *pm.Opening) error {
	since := nanos(opt.Now().Add(-debtsFor))
	debts := make(map[core.Address]*pm.Debt)
	err := each(ctx, tx, func(rows *sql.Rows) error {
		var sender core.Address
		var left pm.Value
		var at int64
		if err := rows.Scan(into(sender[:]), value{&left}, &at); err != nil {
			return err
		}
		d := debts[sender]
		if d == nil {
			d = &pm.Debt{Sender: sender}
			debts[sender] = d
		}
		d.Owed = d.Owed.Sub(left)
		if t := timeOf(at); left.Sign() < 0 && t.After(d.Since) {
			d.Since = t
		}
		return nil
	}, `SELECT a.sender, e.amount, e.at FROM ledger_entry e JOIN ledger_account a ON a.id = e.account WHERE e.kind = 3 AND e.at >= ?`, since)
	if err != nil {
		return err
	}
	for _, d := range debts {
		if d.Owed.Sign() <= 0 {
			continue
		}
		if d.Paid, err = paidSince(ctx, tx, d.Sender, since); err != nil {
			return err
		}
		o.Debts = append(o.Debts, *d)
	}
	return nil
}

// paidSince is what a gateway's tickets were worth that were credited since a time.
func paidSince(ctx context.Context, tx *sql.Tx, sender core.Address, since int64) (sum pm.Value, err error) {
	err = each(ctx, tx, func(rows *sql.Rows) error {
		var terms pm.Params
		var prob protocol.Word
		var tickets int64
		if err := rows.Scan(wei{&terms.FaceValue}, into(prob[:]), &tickets); err != nil {
			return err
		}
		terms.WinProb = prob
		sum = sum.Add(terms.EV().Times(tickets))
		return nil
	}, `SELECT e.face, e.prob, sum(e.tickets) FROM ledger_entry e JOIN ledger_account a ON a.id = e.account
		WHERE e.kind = 1 AND e.at >= ? AND a.sender = ? GROUP BY e.face, e.prob`, since, sender[:])
	return sum, err
}
