package redeemer_test

import (
	"errors"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/test/coretest"
)

// TestOneGatewaysRefusedTicketsHoldUpNobody: they fill neither the room nor what is
// read of the books, and are handed in when the redeemer takes them.
func TestOneGatewaysRefusedTicketsHoldUpNobody(t *testing.T) {
	t.Parallel()
	r := newClientRig(t, func(r *clientRig) { r.opt.Waiting, r.opt.WaitingEach = 8, 3 })
	empty := keyOf('e')
	r.far.refusesOf(coretest.AddressOf(empty), fault.New(fault.SenderEmpty, "queue", ""))
	r.far.start()
	for range 5 {
		r.win() // the oldest, read last
	}
	for range 40 {
		r.winOf(empty)
	}
	r.start()
	r.handed(5)
	for range 20 {
		r.Won(r.winOf(empty))
		r.Won(r.win())
	}
	r.handed(25)
	r.far.refusesOf(coretest.AddressOf(empty), nil)
	r.handed(85)
}

// TestManyTicketsOfOneMoment: pages of the books do not part them.
func TestManyTicketsOfOneMoment(t *testing.T) {
	t.Parallel()
	for name, moments := range map[string]int{"three at once": 10, "all at once": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newClientRig(t, func(r *clientRig) { r.opt.Waiting, r.opt.WaitingEach = 4, 2 })
			at := r.now()
			for range moments {
				at = at.Add(1)
				for range 3 {
					r.winAt(at, clientKey())
					r.winAt(at, keyOf('e'))
				}
			}
			r.far.start()
			r.start()
			r.handed(6 * moments)
		})
	}
}

// TestARefusedTicketIsGivenUp when its rounds are long over, whatever the refusal
// says.
func TestARefusedTicketIsGivenUp(t *testing.T) {
	t.Parallel()
	for name, plain := range map[string]bool{"our own redeemer": false, "the network's": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newClientRig(t, func(r *clientRig) { r.far.plain = plain })
			r.far.refuses(fault.New(fault.SenderEmpty, "queue", "it has nothing"))
			r.far.start()
			r.start()
			r.Won(r.win())
			r.wait("a condition", func() bool { return r.condition(fault.RedeemerRefuses) != "" })
			r.later(0, 2)
			r.refusedAgain()
			if r.books.count(pm.TicketWon) != 1 {
				t.Error("it was given up when the contracts may still take it")
			}
			r.later(0, 1)
			r.wait("the ticket to expire", func() bool { return r.books.count(pm.TicketExpired) == 1 })
			r.wait("the condition to go", func() bool { return r.condition(fault.RedeemerRefuses) == "" })
		})
	}
}

// TestBooksThatComeAndGo: books in a database elsewhere that does not answer for a while end no node, and what they
// have by then is handed in.
func TestBooksThatComeAndGo(t *testing.T) {
	t.Parallel()
	r := newClientRig(t)
	r.far.start()
	r.win()
	r.start()
	r.handed(1)
	r.books.unreadable(fault.Wrap(fault.LedgerFailed, "read the ledger", errors.New("the connection was closed")))
	r.later(0, 1) // each round the books are read again
	r.Won(r.win())
	r.wait("the condition", func() bool { return r.condition(fault.LedgerFailed) != "" })
	r.win() // in the books alone
	r.books.unreadable(nil)
	r.Won(r.win())
	r.handed(4)
	r.wait("the end of the condition", func() bool { return r.condition(fault.LedgerFailed) == "" })
}
