package ledger

import (
	"context"
	"database/sql"

	"github.com/tuttinode/tutti/core"
)

// Any address can pay a little once, so totals by sender do not last forever. After keepTotals
// days without activity a sender's totals are added to those of the zero address; after
// keepTotalsOverLimit days if there are more than maxTotals. A sender that pays much has more
// than foldRows totals and keeps them.
const (
	keepTotals          Day = 400
	keepTotalsOverLimit Day = 30
	maxTotals               = 200_000
	foldRows                = 100
	foldSenders             = 20
)

// fold moves the totals of inactive senders to the zero address, in small steps.
func (l *Ledger) fold(ctx context.Context) error {
	for {
		before, gone, err := l.idleSenders(ctx)
		if err != nil || len(gone) == 0 {
			return err
		}
		folded := 0
		r := &request{op: "fold totals", exclusive: true, do: func(ctx context.Context, g *group) error {
			folded = 0
			for _, owner := range gone {
				ok, err := g.fold(ctx, owner, before)
				if err != nil {
					return err
				}
				if ok {
					folded++
				}
			}
			return nil
		}}
		if err := l.enqueueAndWait(ctx, r); err != nil || folded == 0 {
			return err
		}
	}
}

// idleSenders returns some senders that have no balance in the ledger and no recent totals.
func (l *Ledger) idleSenders(ctx context.Context) (before Day, idleSenders []core.Address, err error) {
	err = l.inSnapshot(ctx, "look for old totals", func(tx *sql.Tx) error {
		var rows int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM ledger_total`).Scan(&rows); err != nil {
			return err
		}
		before = DayOf(l.opt.Now()) - keepTotals
		if rows > maxTotals {
			before += keepTotals - keepTotalsOverLimit
		}
		return each(ctx, tx, func(rows *sql.Rows) error {
			var owner core.Address
			err := rows.Scan(into(owner[:]))
			idleSenders = append(idleSenders, owner)
			return err
		}, `SELECT sender FROM ledger_total GROUP BY sender HAVING max(day) < ? AND count(*) <= ? AND sender <> ?
			AND NOT EXISTS (SELECT 1 FROM ledger_account a WHERE a.sender = ledger_total.sender) LIMIT ?`, int64(before),
			foldRows, make([]byte, len(core.Address{})), foldSenders)
	})
	return before, idleSenders, err
}

// fold adds a sender's totals to those of the zero address. A sender that became active again
// keeps them. So does one whose totals do not balance: Verify reports that.
func (g *group) fold(ctx context.Context, owner core.Address, before Day) (bool, error) {
	var accounts int
	if err := g.tx.QueryRowContext(ctx, `SELECT count(*) FROM ledger_account WHERE sender = ?`,
		owner[:]).Scan(&accounts); err != nil || accounts > 0 {
		return false, err
	}
	var all []Total
	var net Total
	err := each(ctx, g.tx, func(rows *sql.Rows) error {
		t, err := scanTotal(rows.Scan)
		if err != nil {
			return err
		}
		all = append(all, t)
		net.add(&t)
		net.Day = max(net.Day, t.Day)
		return nil
	}, `SELECT `+totalColumns+` FROM ledger_total WHERE sender = ?`, owner[:])
	if err != nil || net.Day >= before || net.net().Sign() != 0 {
		return false, err
	}
	for i := range all {
		all[i].Sender = core.Address{}
		if err := g.addTotal(ctx, &all[i]); err != nil {
			return false, err
		}
	}
	g.wrote, g.totalsChanged = true, true
	_, err = g.tx.ExecContext(ctx, `DELETE FROM ledger_total WHERE sender = ?`, owner[:])
	return err == nil, err
}
