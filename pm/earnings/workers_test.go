package earnings_test

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/earnings"
)

func TestWorkers(t *testing.T) {
	t.Parallel()
	got := earnings.MakeWorkers(books()).Answer()
	if len(got.Workers) != 2 {
		t.Fatalf("%+v", got)
	}
	// 60 wei were billed; tickets worth 38 1/3 came in, and 300 was paid for 20 of gas.
	w := got.Workers[0]
	if w.Worker != "-gpu" || w.Model != "=m" || w.Jobs != 1 || w.Billed != "10" || w.Received != "6.388888888888888889" ||
		w.Income != "46.666666666666666667" {
		t.Errorf("%+v", w)
	}
	w = got.Workers[1]
	if w.Worker != "gpu-0" || w.Pipeline != "transcoding" || w.Jobs != 5 || w.Units != 3010 || w.Billed != "50" ||
		w.Income != "233.333333333333333333" {
		t.Errorf("%+v", w)
	}
	if got.Total.Income != "280" || got.Total.Billed != "60" || got.Total.Jobs != 6 || got.Total.Share != 1 {
		t.Errorf("%+v", got.Total)
	}
}

func TestWorkersWithoutWork(t *testing.T) {
	t.Parallel()
	got := earnings.MakeWorkers(books()[:1]).Answer()
	if len(got.Workers) != 0 || got.Total.Share != 0 || got.Total.Income != "0" {
		t.Errorf("%+v", got)
	}
}

// What workers get is all that there is, to the last fraction of a wei.
func TestWorkersShareEverything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		totals := drawTotals(t)
		for i := range totals {
			if totals[i].Jobs == 0 {
				totals[i].Billed = pm.Value{}
			}
		}
		in, s := earnings.MakeIncome(0, totals, nil).Total, earnings.MakeWorkers(totals)
		var billed, income, received pm.Value
		jobs, units := int64(0), new(big.Int)
		for i := range s.Rows {
			billed, income, received = billed.Add(s.Rows[i].Billed), income.Add(s.Rows[i].Income),
				received.Add(s.Rows[i].Received)
			jobs += s.Rows[i].Jobs
			units.Add(units, s.Rows[i].Units)
		}
		if billed.Cmp(in.Billed) != 0 || jobs != in.Jobs || s.Total.Income.Cmp(income) != 0 ||
			s.Total.Received.Cmp(received) != 0 {
			t.Fatalf("billed %s of %s, jobs %d of %d", billed, in.Billed, jobs, in.Jobs)
		}
		if in.Billed.Sign() > 0 && (income.Cmp(in.Redeemed.Sub(in.Gas)) != 0 || received.Cmp(in.Received) != 0) {
			t.Fatalf("income %s of %s", income, in.Redeemed.Sub(in.Gas))
		}
	})
}
