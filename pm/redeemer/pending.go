package redeemer

import (
	"sync"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/pm"
)

// sums are the face values of winners that are not paid, by sender. They have a lock of
// their own, because every payment asks for one.
type pendingSums struct {
	mu  sync.Mutex
	all map[core.Address]core.Wei // guarded by mu; without zeros
}

func (s *pendingSums) get(sender core.Address) core.Wei {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[sender]
}

func (s *pendingSums) set(sender core.Address, sum core.Wei) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sum.IsZero() {
		delete(s.all, sender)
		return
	}
	s.all[sender] = sum
}

// pending says that nothing was paid for a ticket so far. One that may not be redeemed
// yet counts as well: what it will take of its sender's funds is promised, and whoever
// makes new promises has to know.
func unpaid(t *ticket) bool { return t.w.State != pm.TicketMined }

// Pending are the face values of a sender's winning tickets that are not paid: they
// wait for their parameters to expire, for a price or for funds, or are on their way.
// It never waits.
func (r *Redeemer) Pending(sender core.Address) core.Wei { return r.pendingSums.get(sender) }

// recount adds up a sender's face values anew, and tells who watches it. The caller
// holds mu.
func (r *Redeemer) recountLocked(sender core.Address) {
	var sum core.Wei
	for _, t := range r.tickets {
		if t.w.Ticket.Sender == sender && unpaid(t) {
			sum = sum.Add(t.w.Ticket.FaceValue)
		}
	}
	r.pendingSums.set(sender, sum)
	r.notifyWatchersLocked(sender)
}
