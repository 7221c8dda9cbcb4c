package earnings

import (
	"math/big"

	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// WorkerRow is what one worker did of one kind of paid work.
type WorkerRow struct {
	Worker, Pipeline, Model string
	Jobs                    int64
	Units, Produced         *big.Int
	Billed                  pm.Value
	// Share is the row's part of all that was billed, 0 to 1.
	Share float64
	// Received is that part of the tickets' expected value, Income of what redeemed
	// tickets paid less what redeeming cost; that may be negative.
	Received, Income pm.Value
}

// Workers says which worker did which part of the paid work. The chain pays only the pool's
// operator, who can pay the workers by it. The rows' sums are Total's.
type Workers struct {
	Rows  []WorkerRow
	Total WorkerRow
}

// WorkersQuery asks the ledger for what MakeWorkers needs.
func WorkersQuery() ledger.Query { return (Model | Worker).Query() }

// MakeWorkers divides the income by what was billed. Without any bill no worker has a share.
func MakeWorkers(totals []ledger.Total) *Workers {
	in := MakeIncome(Model|Worker, totals, nil)
	out := &Workers{Total: workerRow(&in.Total)}
	earned := in.Total.Redeemed.Sub(in.Total.Gas)
	for i := range in.Rows {
		r := &in.Rows[i]
		if r.Jobs == 0 {
			continue // tickets are no worker's
		}
		w := workerRow(r)
		w.Received, w.Income = portion(in.Total.Received, r.Billed, in.Total.Billed),
			portion(earned, r.Billed, in.Total.Billed)
		out.Total.Received, out.Total.Income = out.Total.Received.Add(w.Received), out.Total.Income.Add(w.Income)
		out.Rows = append(out.Rows, w)
	}
	return out
}

func workerRow(r *Row) WorkerRow {
	return WorkerRow{Worker: r.Worker, Pipeline: r.Pipeline, Model: r.Model, Jobs: r.Jobs, Units: r.Units,
		Produced: r.Produced, Billed: r.Billed, Share: r.Share}
}

// portion returns the part of v that some is of whole.
func portion(v, some, whole pm.Value) pm.Value {
	if whole.Sign() == 0 {
		return pm.Value{}
	}
	r := new(big.Rat).Mul(v.Rat(), some.Rat())
	return pm.ValueOf(r.Quo(r, whole.Rat()))
}
