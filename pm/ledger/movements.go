package ledger

import (
	"context"
	"database/sql"
	"errors"
	"math/big"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// span is a range of entries: after one, up to and with another.
type span struct{ after, to int64 }

const (
	creditSums = `SELECT e.account, a.sender, a.name, e.round, e.at / 86400000000000 AS day, e.face, e.prob,
		sum(e.tickets), count(*)
		FROM ledger_entry e JOIN ledger_account a ON a.id = e.account WHERE e.kind = 1 AND e.id > ? AND e.id <= ?
		GROUP BY e.account, a.sender, a.name, e.round, day, e.face, e.prob`
	// Sums of units are made in halves, whose sums no number of rows makes too large.
	debitSums = `SELECT e.account, a.sender, e.round, e.at / 86400000000000 AS day, e.pipeline, e.model, e.worker,
		e.per_unit, e.pixels,
		sum(e.units >> 32), sum(e.units & 4294967295), 
		sum(CASE WHEN e.produced > 0 THEN e.produced >> 32 ELSE 0 END),
			sum(CASE WHEN e.produced > 0 THEN e.produced & 4294967295 ELSE 0 END),
		count(*), sum(CASE WHEN e.units > 0 THEN 1 ELSE 0 END)
		FROM ledger_entry e JOIN ledger_account a ON a.id = e.account WHERE e.kind = 2 AND e.id > ? AND e.id <= ?
		GROUP BY e.account, a.sender, e.round, day, e.pipeline, e.model, e.worker, e.per_unit, e.pixels`
	closings = `SELECT e.account, a.sender, a.name, e.round, e.at / 86400000000000 AS day, e.amount
		FROM ledger_entry e JOIN ledger_account a ON a.id = e.account WHERE e.kind = 3 AND e.id > ? AND e.id <= ?`
)

// movements sums up entries by accounts and by what they are about.
func movements(ctx context.Context, q querier, s span) (out []movement, err error) {
	add := func(read func(*sql.Rows) (movement, error)) func(*sql.Rows) error {
		return func(rows *sql.Rows) error {
			m, err := read(rows)
			out = append(out, m)
			return err
		}
	}
	err = errors.Join(
		each(ctx, q, add(creditMovement), creditSums, s.after, s.to),
		each(ctx, q, add(debitMovement), debitSums, s.after, s.to),
		each(ctx, q, add(closingMovement), closings, s.after, s.to))
	return out, err
}

func creditMovement(rows *sql.Rows) (m movement, err error) {
	var name string
	var face core.Wei
	var prob protocol.Word
	t := &m.total
	err = rows.Scan(&m.account, into(t.Sender[:]), &name, &t.Round, &t.Day, wei{&face}, into(prob[:]), &t.Tickets,
		&m.entries)
	t.Pipeline, t.Model = workOf(name)
	p := pm.Params{FaceValue: face, WinProb: prob}
	t.Received = p.EV().Times(t.Tickets)
	m.value = t.Received
	return m, err
}

func debitMovement(rows *sql.Rows) (m movement, err error) {
	var price pm.Price
	var high, low, producedHigh, producedLow int64
	t := &m.total
	err = rows.Scan(&m.account, into(t.Sender[:]), &t.Round, &t.Day, &t.Pipeline, &t.Model, &t.Worker, &price.PerUnit,
		&price.PixelsPerUnit,
		&high, &low, &producedHigh, &producedLow, &m.entries, &t.Jobs)
	t.Units, t.Produced = joinHalves(high, low), joinHalves(producedHigh, producedLow)
	t.Billed = pm.ValueOf(new(big.Rat).Mul(price.Rat(), new(big.Rat).SetInt(t.Units)))
	m.value = t.Billed.Neg()
	return m, err
}

func joinHalves(high, low int64) *big.Int {
	n := new(big.Int).Lsh(big.NewInt(high), 32)
	return n.Add(n, big.NewInt(low))
}

func closingMovement(rows *sql.Rows) (m movement, err error) {
	var name string
	var left pm.Value
	t := &m.total
	err = rows.Scan(&m.account, into(t.Sender[:]), &name, &t.Round, &t.Day, value{&left})
	t.Pipeline, t.Model = workOf(name)
	m.entries, m.value = 1, left.Neg()
	if left.Sign() > 0 {
		t.Kept = left
	} else {
		t.Given = left.Neg()
	}
	return m, err
}
