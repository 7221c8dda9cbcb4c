package orchestrate

import (
	"context"
	"math"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// LateCharge is what work of an external capability costs that goes on in a process from which another one took over:
// the books are that one's.
type LateCharge struct {
	// ID names the work between the two processes.
	ID         uint64
	Capability string
	Sender     core.Address
	Price      pm.Price
	Units      int64
}

// ChargeLate charges for work in the previous process. It is false if the account does not pay for all of it:
// then the work must end. Up to an interval that the account does not hold is owed.
func (o *Orchestrator) ChargeLate(ctx context.Context, c *LateCharge) bool {
	const op = "charge work of the previous process"
	w := &CapabilityWork{Capability: c.Capability, Sender: c.Sender, Price: c.Price}
	if o.free(w) {
		return true
	}
	id, err := o.capabilitySession()
	if err == nil {
		job := w.job(id)
		job.Model = nil // that process had checked the payer: the address is not asked for again
		var tab pm.Tab
		if tab, err = o.opt.Live.OpenTab(ctx, job); err == nil {
			defer tab.Close()
			billed := tab.Charge(c.Units)
			tab.Settle(min(c.Units-billed, max(1, LiveSeconds.units(o.opt.LiveInterval))))
			return billed == c.Units
		}
	}
	o.opt.Log.Debug(op, "model", c.Capability, fault.Attr(err))
	return false
}

// BillLate bills work that ended in the previous process, from which this one has the books.
func (o *Orchestrator) BillLate(d pm.Debit) {
	if o.opt.Live != nil {
		o.opt.Live.BillLate(d)
	}
}

// HandOver charges what is due, and has charge take what comes later: another process has the books from now on. It is
// false for work that costs nothing more.
func (s *LiveSession) HandOver(charge func(units int64)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, free := s.tab.(freeTab); free || s.ended {
		return false
	}
	s.settleLocked(s.dueLocked())
	s.tab.Close()
	s.tab = lateTab{charge}
	return true
}

// lateTab is the tab of work whose account another process has. That one says when it pays no more.
type lateTab struct{ charge func(units int64) }

func (t lateTab) Charge(units int64) int64 { t.charge(units); return units }
func (lateTab) Held() int64                { return math.MaxInt64 }
func (lateTab) Settle(int64)               {}
func (lateTab) Close()                     {}
