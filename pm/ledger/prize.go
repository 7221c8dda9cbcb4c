package ledger

import (
	"context"
	"database/sql"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/pm"
)

// prize is what totals say of one winner.
type prize struct {
	id int64
	Key
	state           pm.TicketState
	face, paid, fee core.Wei
}

const (
	prizeColumns = `id, won / 86400000000000, round, sender, account, state, face, paid, fee`
	ownWinners   = `SELECT ` + prizeColumns + ` FROM ledger_winner WHERE `
)

// prizes reads winners one by one.
func prizes(ctx context.Context, q querier, query string, args ...any) (out []prize, err error) {
	err = each(ctx, q, func(rows *sql.Rows) error {
		var p prize
		var name string
		err := rows.Scan(&p.id, &p.Day, &p.Round, into(p.Sender[:]), &name, &p.state, wei{&p.face}, wei{&p.paid}, wei{&p.fee})
		p.Pipeline, p.Model = workOf(name)
		out = append(out, p)
		return err
	}, query, args...)
	return out, err
}

// winnerTotals are the totals and numbers of the winners that where chooses.
func winnerTotals(ctx context.Context, q querier, where string, args ...any) (out []Total, ids []int64, err error) {
	all, err := prizes(ctx, q, ownWinners+where, args...)
	for i := range all {
		out, ids = append(out, all[i].total()), append(ids, all[i].id)
	}
	return out, ids, err
}

// total is a total of one winner.
func (p *prize) total() Total {
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
