package redeemer_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/test/coretest"
)

// winIn puts a winner of a round into the books.
func (r *clientRig) winIn(round protocol.Round) pm.Winner {
	r.nonce++
	t := coretest.Ticket(clientKey(), clientMe, core.NewWei(1000), r.nonce,
		protocol.RoundState{LastInitialized: round, LastHash: protocol.Hash{byte(round)}})
	w := pm.Winner{Hash: t.Hash(), Ticket: t, ExpirationBlock: 140, Won: r.now(), State: pm.TicketWon}
	r.books.append(w)
	return w
}

// TestTheMostUrgentAreHandedFirst: of many more winners than there is room for, those whose
// rounds end first are handed over first, also when they come last; those whose rounds are
// over already do not delay them.
func TestTheMostUrgentAreHandedFirst(t *testing.T) {
	t.Parallel()
	r := newClientRig(t, func(r *clientRig) { r.opt.Waiting, r.opt.WaitingEach, r.opt.InFlight = 4, 4, 1 })
	r.round = 8
	urgent := make(map[protocol.Hash]bool)
	for range 5 {
		r.winIn(6) // over by our view, and not yet given up
	}
	for range 3 {
		urgent[r.winIn(7).Hash] = true
	}
	for range 20 {
		r.winIn(8)
	}
	r.start()
	late := r.winIn(7)
	urgent[late.Hash] = true
	r.Won(late)
	r.far.start()
	r.handed(29)
	for i, hash := range r.far.order()[:len(urgent)] {
		if !urgent[hash] {
			t.Errorf("ticket %d is none of those that are lost first", i)
		}
	}
}

// TestOneGatewaysSlowTicketsDelayNoOther: the redeemer hangs with the tickets of one
// gateway.
func TestOneGatewaysSlowTicketsDelayNoOther(t *testing.T) {
	t.Parallel()
	r := newClientRig(t, func(r *clientRig) { r.opt.HandIn = 40 * time.Second })
	slow := keyOf('s')
	r.far.hangsWith(coretest.AddressOf(slow))
	r.far.start()
	for range 20 {
		r.winOf(slow)
	}
	r.win()
	r.start()
	r.handed(1)
}

// TestAFalseRoundEndsNoWinner: the view has a round that the chain does not have.
func TestAFalseRoundEndsNoWinner(t *testing.T) {
	t.Parallel()
	r := newClientRig(t)
	r.start()
	r.mu.Lock()
	r.lie = 9000
	r.round += r.lie
	r.mu.Unlock()
	r.Won(r.win())
	r.wait("a look at the ticket", func() bool { return r.reads() > 2 })
	if n := r.books.count(pm.TicketWon); n != 1 {
		t.Errorf("%d tickets wait", n)
	}
}

// TestWhatAFalseRoundEndedComesBack when the round is seen to be another one.
func TestWhatAFalseRoundEndedComesBack(t *testing.T) {
	t.Parallel()
	for name, restarted := range map[string]bool{"while it runs": false, "after a restart": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newClientRig(t)
			r.start()
			r.later(0, 9000)
			r.Won(r.win())
			r.wait("the ticket to expire", func() bool { return r.books.count(pm.TicketExpired) == 1 })
			if restarted {
				r.stop()
			}
			r.mu.Lock()
			r.round -= 9000
			r.mu.Unlock()
			r.far.start()
			if restarted {
				r.start()
			}
			r.handed(1)
		})
	}
}

// TestLateTicketsStayExpired once their rounds are truly over.
func TestLateTicketsStayExpired(t *testing.T) {
	t.Parallel()
	r := newClientRig(t)
	r.far.refuses(fault.New(fault.TicketExpired, "queue", "of round 7, this is 10"))
	r.far.start()
	r.start()
	r.later(0, 3)
	r.Won(r.win())
	r.wait("the ticket to expire", func() bool { return r.books.count(pm.TicketExpired) == 1 })
	r.later(0, 1)
	r.Won(r.winIn(11))
	r.refusedAgain()
	if n := r.books.count(pm.TicketExpired); n != 1 {
		t.Errorf("%d tickets are expired", n)
	}
}
