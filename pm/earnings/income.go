package earnings

import (
	"cmp"
	"math/big"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// Reward is the stake tokens that were minted for a round.
type Reward struct {
	Round  protocol.Round
	At     time.Time
	Amount core.LPT
}

// Row is the income of some part of the work.
type Row struct {
	ledger.Total
	// Reward is 0 where rows are grouped by more than day and round.
	Reward core.LPT
	// Share is the row's part of all that was billed, 0 to 1.
	Share float64
}

// Income is what an orchestrator earned. The rows' sums are Total's, but for Share.
type Income struct {
	By    By
	Rows  []Row
	Total Row
}

// MakeIncome groups totals, which may be grouped more finely than the rows, and the rounds'
// rewards.
func MakeIncome(by By, totals []ledger.Total, rewards []Reward) *Income {
	rows := make(map[ledger.Key]*Row)
	in := &Income{By: by, Total: emptyRow(ledger.Key{})}
	row := func(k ledger.Key) *Row {
		k = by.of(k)
		r := rows[k]
		if r == nil {
			fresh := emptyRow(k)
			r = &fresh
			rows[k] = r
		}
		return r
	}
	for i := range totals {
		row(totals[i].Key).add(&totals[i])
		in.Total.add(&totals[i])
	}
	if by.rewards() {
		for _, w := range rewards {
			r := row(ledger.Key{Day: ledger.DayOf(w.At), Round: w.Round})
			r.Reward, in.Total.Reward = r.Reward.Add(w.Amount), in.Total.Reward.Add(w.Amount)
		}
	}
	for _, r := range rows {
		r.Share = part(r.Billed, in.Total.Billed)
		in.Rows = append(in.Rows, *r)
	}
	in.Total.Share = part(in.Total.Billed, in.Total.Billed)
	slices.SortFunc(in.Rows, func(a, b Row) int { return compareKeys(a.Key, b.Key) })
	return in
}

func emptyRow(k ledger.Key) Row {
	return Row{Total: ledger.Total{Key: k, Units: new(big.Int), Produced: new(big.Int)}}
}

// add adds what a total of the ledger has; the key stays.
func (r *Row) add(t *ledger.Total) {
	r.Tickets, r.Jobs, r.Winners = r.Tickets+t.Tickets, r.Jobs+t.Jobs, r.Winners+t.Winners
	addInt(r.Units, t.Units)
	addInt(r.Produced, t.Produced)
	from := amounts(t)
	for i, to := range amounts(&r.Total) {
		*to = to.Add(*from[i])
	}
}

// addInt adds to a number; nil adds nothing.
func addInt(to, n *big.Int) {
	if n != nil {
		to.Add(to, n)
	}
}

// amounts returns all amounts of a total in a fixed order.
func amounts(t *ledger.Total) [12]*pm.Value {
	return [12]*pm.Value{&t.Received, &t.Billed, &t.Kept, &t.Given, &t.Won, &t.Redeemed, &t.Waiting, &t.Mined, &t.Handed,
		&t.Expired, &t.Failed, &t.Gas}
}

// part returns a share of a whole; of nothing it is 0.
func part(v, whole pm.Value) float64 {
	if whole.Sign() == 0 {
		return 0
	}
	f, _ := new(big.Rat).Quo(v.Rat(), whole.Rat()).Float64()
	return f
}

func compareKeys(a, b ledger.Key) int {
	return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Round, b.Round), slices.Compare(a.Sender[:], b.Sender[:]),
		cmp.Compare(a.Pipeline, b.Pipeline), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Worker, b.Worker))
}
