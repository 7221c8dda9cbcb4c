package sender_test

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/paymentlog"
	"github.com/tuttinode/tutti/pm/sender"
)

// Whatever becomes of jobs: what was sent in tickets is what the jobs spent, what is left in the balances, and what
// was written off with balances, all of it exact; and the account of payments says the same.
func TestSpentIsWhatWasPaid(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		k := begin(t, t.TempDir(), nil)
		defer k.close()
		price := pm.Price{PerUnit: rapid.Int64Range(1, 50).Draw(rt, "price"),
			PixelsPerUnit: rapid.Int64Range(1, 7).Draw(rt, "per")}
		offer := terms(params(1, rapid.Uint64Range(1, 5000).Draw(rt, "ev")), func(t *sender.Terms) { t.Price = price })
		var open []*sender.Payment
		var paid, spent pm.Value
		var charged core.Wei
		sum := func() (left pm.Value) {
			for _, b := range k.Balances() {
				left = left.Add(b.Value)
			}
			return left
		}
		settle := func(rt *rapid.T, p *sender.Payment, how sender.Outcome) {
			units := rapid.Int64Range(0, 2000).Draw(rt, "billed")
			worth := offer.EV().Times(int64(len(p.Tickets)))
			p.Settle(how, units)
			if how == sender.Unsent {
				worth = pm.Value{}
			}
			if how == sender.Served && !p.Spent().Equal(price.Cost(units)) {
				rt.Fatalf("spent %s, billed %s", p.Spent(), price.Cost(units))
			}
			paid, spent, charged = paid.Add(worth), spent.Add(p.Spent()), charged.Add(p.Charge())
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
				p.ChargeRequest()
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
			"wait": func(rt *rapid.T) {
				k.clock.Forward(time.Duration(rapid.IntRange(0, 30).Draw(rt, "minutes")) * time.Minute)
				if rapid.Bool().Draw(rt, "sweep") {
					k.Sweep()
				}
			},
		})
		for _, p := range open {
			settle(rt, p, sender.Abandoned)
		}
		lost, total := k.writtenOff(rt), k.total(rt)
		if got := spent.Add(sum()).Add(lost); !got.Equal(paid) {
			rt.Fatalf("paid %s in tickets; jobs spent %s, %s is left and %s was written off", paid, spent, sum(), lost)
		}
		if !total.Value.Equal(paid) || !total.Cost.Equal(spent) || total.Charged.Cmp(charged) != 0 {
			rt.Fatalf("paid %s for jobs of %s, charged %s; written down %s, %s and %s", paid, spent, charged, total.Value,
				total.Cost, total.Charged)
		}
		if report, err := k.book.Verify(rt.Context()); err != nil || len(report.Problems) > 0 {
			rt.Fatal(report.Problems, err)
		}
	})
}

// writtenOff is all that was written off.
func (k *kit) writtenOff(t rapid.TB) (sum pm.Value) {
	t.Helper()
	list, err := k.book.WriteOffs(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range list {
		sum = sum.Add(w.Value)
	}
	return sum
}

// total is the sum of all payments.
func (k *kit) total(t rapid.TB) paymentlog.Total {
	t.Helper()
	list, err := k.book.Totals(context.Background(), paymentlog.Query{})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		return paymentlog.Total{}
	}
	return list[0]
}

// What is left in balances is written off when the sender ends.
func TestBalancesAreWrittenOffAtTheEnd(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), nil)
	defer k.close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- k.Run(ctx, func() {}) }()
	pay(t, k, terms(params(1, 100), nil), 70).Settle(sender.Served, 70)
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	list, err := k.book.WriteOffs(t.Context())
	if err != nil || len(list) != 1 || list[0].Reason != paymentlog.Stopped {
		t.Fatalf("%+v %v", list, err)
	}
	roughly(t, list[0].Value, 30)
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
