package recipient_test

import (
	"fmt"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// What a gateway has in the account of a model is its own: others may know what it signs for
// jobs, but have neither its sessions nor its addresses.
func TestBalancesAreDrawnByWhoPaid(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	s := n.session(n.gateway(1), "33_m", llama)
	job := func(session, from string, tickets int) *pm.Job {
		j := s.job(tickets, 1)
		j.Session, j.From = core.SessionID(session), from
		return j
	}
	n.refuse(job("a", "1", 0), fault.InsufficientBalance, "")
	n.admit(job("a", "1", 4)).Release()
	for _, own := range [][2]string{{"a", "1"}, {"a", "2"}, {"b", "1"}} {
		n.admit(job(own[0], own[1], 0)).Release()
	}
	n.refuse(job("b", "2", 0), fault.InsufficientBalance, "")
	if err := n.MayPay(t.Context(), job("b", "2", 0)); fault.CodeOf(err) != fault.InsufficientBalance {
		t.Error(err)
	}
	n.admit(job("b", "2", 1)).Release() // at a new address under a new token it pays once more
	n.admit(job("b", "3", 0)).Release()
	for i := range 100 { // what is remembered is bounded
		n.admit(job(fmt.Sprint("s", i), fmt.Sprint("p", i), 1)).Release()
	}
	n.admit(job("s99", "x", 0)).Release()
	n.refuse(job("a", "1", 0), fault.InsufficientBalance, "")
}
