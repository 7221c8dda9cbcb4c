package recipient_test

import (
	"fmt"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// by is a job of a session with so many tickets, from an address.
func (s *session) by(session, from string, tickets int) *pm.Job {
	j := s.job(tickets, 1)
	j.Session, j.From = core.SessionID(session), from
	return j
}

// What a gateway has in the account of a model is its own: others may know what it signs for
// jobs, but have neither its sessions nor its addresses.
func TestBalancesAreDrawnByWhoPaid(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	s := n.session(n.gateway(1), "33_m", llama)
	n.refuse(s.by("a", "1", 0), fault.InsufficientBalance, "")
	n.admit(s.by("a", "1", 4)).Release()
	n.refuse(s.by("x", "9", 0), fault.InsufficientBalance, "")
	if err := n.MayPay(t.Context(), s.by("x", "9", 0)); fault.CodeOf(err) != fault.InsufficientBalance {
		t.Error(err)
	}
	// A session shows that an address is its gateway's, and the address its next session.
	for _, own := range [][2]string{{"a", "1"}, {"a", "2"}, {"b", "1"}, {"b", "2"}, {"c", "2"}, {"c", "3"}} {
		n.admit(s.by(own[0], own[1], 0)).Release()
	}
	n.refuse(s.by("d", "4", 0), fault.InsufficientBalance, "")
	n.admit(s.by("d", "4", 1)).Release() // at a new address under a new token it pays once more
	n.admit(s.by("d", "5", 0)).Release()
	for i := range 100 { // what is remembered is bounded
		n.admit(s.by("d", fmt.Sprint("p", i), 0)).Release()
	}
	n.refuse(s.by("e", "4", 0), fault.InsufficientBalance, "")
	for i := range 100 {
		n.admit(s.by(fmt.Sprint("s", i), fmt.Sprint("q", i), 1)).Release()
	}
	n.admit(s.by("s99", "x", 0)).Release()
	n.refuse(s.by("d", "5", 0), fault.InsufficientBalance, "")
}

// TestTicketsDrawNoBalanceOfOthers: an orchestrator that gives a gateway another one's parameters
// is paid with tickets for the other one. With these it has what they are worth and nothing more.
func TestTicketsDrawNoBalanceOfOthers(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	s := n.session(n.gateway(1), "33_m", llama)
	n.admit(s.by("own", "1", 10)).Release()
	relayed := n.admit(s.by("thief", "9", 1))
	n.refuse(s.by("thief", "9", 0), fault.InsufficientBalance, "")
	if err := n.MayPay(t.Context(), s.by("thief", "9", 0)); fault.CodeOf(err) != fault.InsufficientBalance {
		t.Error(err)
	}
	relayed.Done(pm.Work{Units: 1})
	n.refuse(s.by("thief", "9", 0), fault.InsufficientBalance, "")
	var held []pm.Hold
	for range 2 {
		held = append(held, n.admit(s.by("own", "2", 0)))
	}
	held = append(held, n.admit(s.by("thief", "9", 1)))
	// Where a job shows two to be one, each has what both paid.
	both := n.admit(s.by("thief", "2", 1))
	for _, h := range append(held, both) {
		h.Release()
	}
	n.admit(s.by("thief", "9", 0)).Release()
}
