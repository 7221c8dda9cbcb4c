package recipient

import (
	"sync"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/pm"
)

const (
	// maxUncredited bounds a gateway's unpaid winners when one more of a refused payment is stored.
	// Winners of refused payments cost their gateway nothing while its funds are less than what it
	// owes, and once the random number of parameters is public it can make as many as it likes.
	maxUncredited = 4096
	// maxUnfunded is the same for winners that the funds, as far as they are known, do not pay: the
	// gateway may add to them.
	maxUnfunded = 64
)

// unrecorded are the payments whose tickets were verified and that are not on disk yet: what the
// redeemer counts does not include them.
type unrecorded struct {
	mu       sync.Mutex
	bySender map[core.Address]*verified // guarded by mu
}

// verified are one gateway's payments that are being recorded.
type verified struct {
	payments int
	// worth is what the tickets are worth that may be credited; unpaid are the winners.
	worth  pm.Value
	unpaid pm.Unpaid
}

// unrecordedPayment is one of them.
type unrecordedPayment struct {
	all    *unrecorded
	sender core.Address
	worth  pm.Value
	unpaid pm.Unpaid
}

func newUnrecorded() *unrecorded { return &unrecorded{bySender: make(map[core.Address]*verified)} }

// begin adds a payment of a gateway. The caller ends it when its winners are reported.
func (u *unrecorded) begin(sender core.Address) *unrecordedPayment {
	u.mu.Lock()
	defer u.mu.Unlock()
	v := u.bySender[sender]
	if v == nil {
		v = new(verified)
		u.bySender[sender] = v
	}
	v.payments++
	return &unrecordedPayment{all: u, sender: sender}
}

// end removes the payment.
func (p *unrecordedPayment) end() {
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	v := p.all.bySender[p.sender]
	v.worth = v.worth.Sub(p.worth)
	v.unpaid.Face = v.unpaid.Face.Sub(p.unpaid.Face)
	v.unpaid.Tickets -= p.unpaid.Tickets
	if v.payments--; v.payments == 0 {
		delete(p.all.bySender, p.sender)
	}
}

// credit reserves what the tickets are worth, if the funds have that much besides pending and the
// payments that are being recorded.
func (p *unrecordedPayment) credit(worth pm.Value, available, pending core.Wei) bool {
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	v := p.all.bySender[p.sender]
	if v.worth.Add(worth).Add(pm.WeiValue(pending.Add(v.unpaid.Face))).Cmp(pm.WeiValue(available)) > 0 {
		return false
	}
	v.worth, p.worth = v.worth.Add(worth), p.worth.Add(worth)
	return true
}

// winner reports whether a winner is stored: always if it is credited, else as far as the bounds
// allow besides the waiting winners, which come to pending.
func (p *unrecordedPayment) winner(w *pm.Winner, available, pending core.Wei, waiting int) bool {
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	v := p.all.bySender[p.sender]
	unpaid := v.unpaid.Add(w.Ticket.FaceValue)
	n := min(waiting, maxUncredited) + unpaid.Tickets
	funded := pending.Add(unpaid.Face).Cmp(available) <= 0
	if !w.Credited && (n > maxUncredited || n > maxUnfunded && !funded) {
		return false
	}
	v.unpaid, p.unpaid = unpaid, p.unpaid.Add(w.Ticket.FaceValue)
	return true
}
