package byoc

import (
	"slices"
	"sync"

	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/pm"
)

// In an upgrade requests go on in the old process, and the books are the new one's: that one charges for them as this
// process says, and says which of them their accounts do not pay any more.

// lateCharges are those of one process after a handover.
type lateCharges struct {
	mu   sync.Mutex
	jobs map[uint64]*paidJob // guarded by mu
	// send tells the successor; before it is there, charges wait, one for each job. ended: there is no successor that
	// takes them. Guarded by mu.
	send    func([]orchestrate.LateCharge)
	waiting []orchestrate.LateCharge
	ended   bool
}

// chargeElsewhere charges for the requests in progress what is due, and has the successor charge for what is left.
func (s *Server) chargeElsewhere() {
	s.mu.Lock()
	defer s.mu.Unlock()
	jobs, id := make(map[uint64]*paidJob, len(s.requests)), uint64(0)
	for x := range s.requests {
		id++
		n := id
		if x.meter.HandOver(func(units int64) {
			x.late.Add(units)
			s.late.charge(orchestrate.LateCharge{ID: n, Capability: x.work.Capability, Sender: x.work.Sender,
				Price: x.work.Price, Units: units})
		}) {
			jobs[n] = x
		}
	}
	s.late.mu.Lock()
	defer s.late.mu.Unlock()
	s.late.jobs = jobs
}

func (l *lateCharges) charge(c orchestrate.LateCharge) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.ended:
	case l.send != nil:
		l.send([]orchestrate.LateCharge{c})
	default:
		i := slices.IndexFunc(l.waiting, func(w orchestrate.LateCharge) bool { return w.ID == c.ID })
		if i < 0 {
			l.waiting = append(l.waiting, c)
		} else {
			l.waiting[i].Units += c.Units
		}
	}
}

// ChargeLate sends what requests cost that outlive a handover. send must not call the server.
func (s *Server) ChargeLate(send func([]orchestrate.LateCharge)) {
	l := &s.late
	l.mu.Lock()
	defer l.mu.Unlock()
	l.send = send
	if len(l.waiting) > 0 {
		send(l.waiting)
	}
	l.waiting = nil
}

// CutLate ends requests that the successor says are not paid any more.
func (s *Server) CutLate(ids []uint64) {
	l := &s.late
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		if x := l.jobs[id]; x != nil {
			x.meter.Cut()
		}
	}
}

// EndLate ends the requests that are left when no successor charges for them any more.
func (s *Server) EndLate() {
	l := &s.late
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	for _, x := range l.jobs {
		x.meter.Cut()
	}
}

// TakesCharges reports whether the node has the books of its capabilities: no other process has them yet.
func (s *Server) TakesCharges() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.closed
}

// balance is what is left of a job's account, as far as this process knows.
func (s *Server) balance(x *paidJob) pm.Value {
	return s.o.Rules.CapabilityBalance(x.work).Sub(x.work.Price.Of(x.late.Load()))
}
