package redeemer

import (
	"sync"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/pm"
)

// pendingSums are the unpaid winners, by sender. They have their own lock, because every payment
// reads one.
type pendingSums struct {
	mu  sync.Mutex
	all map[core.Address]pm.Unpaid // guarded by mu; without zeros
}

func (s *pendingSums) get(sender core.Address) pm.Unpaid {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[sender]
}

func (s *pendingSums) set(sender core.Address, sum pm.Unpaid) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sum.Tickets == 0 {
		delete(s.all, sender)
		return
	}
	s.all[sender] = sum
}

// unpaid reports whether nothing was paid for a ticket so far. A ticket that may not be
// redeemed yet counts as well: its face value is already promised of the sender's funds.
func unpaid(t *ticket) bool { return t.w.State != pm.TicketMined }

// Pending returns the sum of the face values of a sender's winning tickets that are not paid: they
// wait for their parameters to expire, for a price or for funds, or are being redeemed. It
// never blocks.
func (r *Redeemer) Pending(sender core.Address) core.Wei { return r.pendingSums.get(sender).Face }

// Waiting is the number of the tickets that Pending adds up.
func (r *Redeemer) Waiting(sender core.Address) int { return r.pendingSums.get(sender).Tickets }

// recountLocked adds up a sender's face values again, and notifies its watchers.
func (r *Redeemer) recountLocked(sender core.Address) {
	var sum pm.Unpaid
	for _, t := range r.tickets {
		if t.w.Ticket.Sender == sender && unpaid(t) {
			sum = sum.Add(t.w.Ticket.FaceValue)
		}
	}
	r.pendingSums.set(sender, sum)
	r.notifyWatchersLocked(sender)
}
