package sender_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/sender"
)

// Whatever becomes of jobs: what was sent in tickets is what the jobs spent, what is left in the balances, and what
// an orchestrator said it does not hold, all of it exact.
func TestSpentIsWhatWasPaid(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		k := begin(t, t.TempDir(), nil)
		defer k.close()
		price := pm.Price{PerUnit: rapid.Int64Range(1, 50).Draw(rt, "price"),
			PixelsPerUnit: rapid.Int64Range(1, 7).Draw(rt, "per")}
		offer := terms(params(1, rapid.Uint64Range(1, 5000).Draw(rt, "ev")), func(t *sender.Terms) { t.Price = price })
		var open []*sender.Payment
		var paid, spent, lost pm.Value
		sum := func() (left pm.Value) {
			for _, b := range k.Balances() {
				left = left.Add(b.Value)
			}
			return left
		}
		settle := func(rt *rapid.T, p *sender.Payment, how sender.Outcome) {
			before, units := sum(), rapid.Int64Range(0, 2000).Draw(rt, "billed")
			worth := offer.EV().Times(int64(len(p.Tickets)))
			p.Settle(how, units)
			if how == sender.Unsent {
				worth = pm.Value{}
			}
			if how == sender.Short && before.Sign() > 0 {
				lost = lost.Add(before)
			}
			if how == sender.Served && !p.Spent().Equal(price.Cost(units)) {
				rt.Fatalf("spent %s, billed %s", p.Spent(), price.Cost(units))
			}
			paid, spent = paid.Add(worth), spent.Add(p.Spent())
		}
		rt.Repeat(map[string]func(*rapid.T){
			"pay": func(rt *rapid.T) {
				p, err := k.Pay(rt.Context(), offer.For(rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "client")),
					rapid.Int64Range(0, 2000).Draw(rt, "units"))
				if fault.CodeOf(err) == fault.TicketsTooMany || fault.CodeOf(err) == fault.TicketParamsStale {
					rt.Skip()
				}
				if err != nil {
					rt.Fatal(err)
				}
				open = append(open, p)
			},
			"settle": func(rt *rapid.T) {
				if len(open) == 0 {
					rt.Skip()
				}
				i := rapid.IntRange(0, len(open)-1).Draw(rt, "which")
				settle(rt, open[i], sender.Outcome(rapid.IntRange(int(sender.Served), int(sender.InputBad)).Draw(rt, "how")))
				open = append(open[:i], open[i+1:]...)
			},
		})
		for _, p := range open {
			settle(rt, p, sender.Abandoned)
		}
		if got := spent.Add(sum()).Add(lost); !got.Equal(paid) {
			rt.Fatalf("paid %s in tickets; jobs spent %s, %s is left and %s was not held", paid, spent, sum(), lost)
		}
	})
}

// A job that never left costs nothing, one that failed all that was sent with it, one that was served its bill.
func TestSpentByOutcome(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		how  sender.Outcome
		want int64
	}{
		"served": {sender.Served, 60}, "refused": {sender.Refused, 100}, "failed": {sender.Failed, 100},
		"client left": {sender.Abandoned, 100}, "bad input": {sender.InputBad, 0}, "unsent": {sender.Unsent, 0},
		"short": {sender.Short, 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := begin(t, t.TempDir(), nil)
			p := pay(t, k, terms(params(1, 100), nil), 70)
			p.Settle(row.how, 60)
			roughly(t, p.Spent(), row.want)
			p.Settle(sender.Failed, 0)
			roughly(t, p.Spent(), row.want)
			if row.how == sender.Served && !p.Spent().Equal(pm.WeiValue(core.NewWei(60))) {
				t.Errorf("a bill of %s", p.Spent())
			}
		})
	}
}
