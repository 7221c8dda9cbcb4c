package upstream_test

import (
	"context"
	"errors"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// funds has an amount, and remembers what was taken out of it.
type funds struct {
	has         uint64
	held, spent uint64
	lost        uint64
	settled     int
}

func (p *funds) Hold(cost core.Wei) (func(core.Wei, bool), error) {
	n := cost.Big().Uint64()
	if p.held+p.spent+n > p.has {
		return nil, fault.New(fault.BudgetSpent, "hold", "")
	}
	p.held += n
	return func(spent core.Wei, lost bool) {
		p.settled++
		p.held -= n
		p.spent += spent.Big().Uint64()
		if lost {
			p.lost += spent.Big().Uint64()
		}
	}, nil
}

// What a client's jobs cost is taken from its funds: the bill of one that was served, its tickets where it failed,
// nothing where nothing was sent; and what its funds does not hold is not paid.
func TestJobsArePaidFromFunds(t *testing.T) {
	t.Parallel()
	p := tickets(t, nil)
	d, err := p.PaymentTerms(priced(7, 1), upstream.Work{Model: &inference.Model{Capability: 33, ID: "m"}, Asked: "o"})
	if err != nil {
		t.Fatal(err)
	}
	in := &funds{has: 1000}
	ctx := inference.WithFunds(t.Context(), in)
	pay := func(units int64, how sender.Outcome, billed int64) upstream.Payment {
		t.Helper()
		paid, err := d.Pay(ctx, "key app", units)
		if err != nil {
			t.Fatal(err)
		}
		if in.held != uint64(7*units) {
			t.Errorf("%d wei are held for %d units", in.held, units)
		}
		paid.Settle(how, billed)
		paid.Settle(sender.Served, 1000)
		if in.held != 0 {
			t.Errorf("%d wei are still held", in.held)
		}
		return paid
	}
	pay(10, sender.Served, 4)
	pay(10, sender.Unsent, 0)
	pay(10, sender.InputBad, 0)
	if in.spent != 28 || in.lost != 0 {
		t.Errorf("%d wei spent, %d lost, want 28", in.spent, in.lost)
	}
	before := in.spent
	pay(1, sender.Failed, 0)
	if in.lost == 0 || in.spent != before+in.lost || in.settled != 4 {
		t.Errorf("a job that failed: %d wei spent, %d lost, %d settled", in.spent-before, in.lost, in.settled)
	}
	if _, err := d.Pay(ctx, "key app", 1000); !errors.Is(err, fault.BudgetSpent) || in.held != 0 || in.settled != 4 {
		t.Errorf("%v, %d held", err, in.held)
	}
	if paid, err := d.Pay(context.Background(), "key app", 1000); err != nil {
		t.Error(err)
	} else {
		paid.Settle(sender.Unsent, 0)
	}
}
