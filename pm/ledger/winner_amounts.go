package ledger

import (
	"context"
	"database/sql"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/pm"
)

// winnerAmounts is what totals count of one winner.
type winnerAmounts struct {
	id int64
	Key
	state           pm.TicketState
	face, paid, fee core.Wei
}

const (
	winnerAmountColumns = `id, won / 86400000000000, round, sender, account, state, face, paid, fee`
	selectWinnerAmounts = `SELECT ` + winnerAmountColumns + ` FROM ledger_winner WHERE `
)

// readWinnerAmounts reads winners one by one.
func readWinnerAmounts(ctx context.Context, q querier, query string, args ...any) (out []winnerAmounts, err error) {
	err = each(ctx, q, func(rows *sql.Rows) error {
		var p winnerAmounts
		var name string
		err := rows.Scan(&p.id, &p.Day, &p.Round, into(p.Sender[:]), &name, &p.state, wei{&p.face}, wei{&p.paid}, wei{&p.fee})
		p.Pipeline, p.Model = workOf(name)
		out = append(out, p)
		return err
	}, query, args...)
	return out, err
}

// winnerTotals returns the totals and numbers of the winners that where selects.
func winnerTotals(ctx context.Context, q querier, where string, args ...any) (out []Total, ids []int64, err error) {
	all, err := readWinnerAmounts(ctx, q, selectWinnerAmounts+where, args...)
	for i := range all {
		out, ids = append(out, all[i].total()), append(ids, all[i].id)
	}
	return out, ids, err
}

// total returns a total of one winner.
func (p *winnerAmounts) total() Total {
	t := Total{Key: p.Key, Winners: 1, Won: pm.WeiValue(p.face), Gas: pm.WeiValue(p.fee)}
	switch p.state {
	case pm.TicketFinal:
		t.Redeemed = pm.WeiValue(p.paid)
	case pm.TicketExpired:
		t.Expired = t.Won
	case pm.TicketFailed:
		t.Failed = t.Won
	case pm.TicketHanded:
		t.Handed = t.Won
	case pm.TicketMined:
		t.Mined = pm.WeiValue(p.paid)
	default:
		t.Waiting = t.Won
	}
	return t
}
