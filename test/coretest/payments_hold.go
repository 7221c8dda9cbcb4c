package coretest

import (
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// held is one of a Payments' holds. Its fields are under the Payments' mu.
type held struct {
	p        *Payments
	job      pm.Job
	aside    pm.Value
	ended    bool
	done     bool
	produced bool
}

// Begin asks for the balance.
func (h *held) Begin() error {
	h.p.mu.Lock()
	defer h.p.mu.Unlock()
	if h.ended {
		h.p.faults = append(h.p.faults, "work begins after its hold has ended")
	}
	if !h.job.Quote.Price.Free() && h.p.balances[h.job.Account].Cmp(pm.WeiValue(h.p.EV)) < 0 {
		return fault.New(fault.InsufficientBalance, "begin work", "")
	}
	return nil
}

// Done bills.
func (h *held) Done(w pm.Work) {
	h.p.mu.Lock()
	defer h.p.mu.Unlock()
	if !h.endLocked() {
		return
	}
	h.done = true
	h.p.work = append(h.p.work, w)
	h.p.balances[h.job.Account] = h.p.balances[h.job.Account].Sub(h.job.Quote.Price.Of(w.Units))
}

// Produced notes.
func (h *held) Produced(n int64) {
	h.p.mu.Lock()
	defer h.p.mu.Unlock()
	if !h.done || h.produced {
		h.p.faults = append(h.p.faults, "what was produced is reported twice, or for work that was not billed")
	}
	h.produced = true
	h.p.produced = append(h.p.produced, n)
}

// Release bills nothing.
func (h *held) Release() {
	h.p.mu.Lock()
	defer h.p.mu.Unlock()
	h.endLocked()
}

// end reports whether the hold was still open. The caller holds the lock.
func (h *held) endLocked() bool {
	if h.ended {
		return false
	}
	h.ended = true
	h.p.open--
	h.p.aside[h.job.Account] = h.p.aside[h.job.Account].Sub(h.aside)
	return true
}
