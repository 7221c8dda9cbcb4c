package endpoints

import (
	"math/big"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// The selectors that the lies are about.
const (
	redeemWinningTicket = "0xec8b3cb6"
	usedTickets         = "0x59a515ba"
	currentRound        = "0x8a19c8bc"
	// lastInitializedRound: with it the books are rolled up.
	lastInitializedRound = "0x8807f36e"
	getContract          = "0xe16c7d98"
	getSenderInfo        = "0xe1a589da"
)

// word is a 32-byte answer of a contract.
func word(n uint64) []byte {
	out := make([]byte, 32)
	for i := range 8 {
		out[31-i] = byte(n >> (8 * i))
	}
	return out
}

// lie is what one endpoint says. An endpoint that is never asked for what it lies
// about, or whose blocks cannot be checked yet, is not named.
type lie struct {
	name    string
	unnamed bool
	faults  []control.Fault
}

// lies are what one endpoint may say. Read-only.
var lies = []lie{
	{name: "reverts", faults: []control.Fault{{Kind: control.FalseRevert, Selector: redeemWinningTicket,
		Reason: "ticket did not win"}}},
	{name: "used", unnamed: true, faults: []control.Fault{{Kind: control.FalseAnswer, Selector: usedTickets,
		Data: word(1)}}},
	{name: "used and reverts", faults: []control.Fault{
		{Kind: control.FalseRevert, Selector: redeemWinningTicket, Reason: "ticket is used"},
		{Kind: control.FalseAnswer, Selector: usedTickets, Data: word(1)},
	}},
	{name: "rounds", faults: []control.Fault{{Kind: control.FalseAnswer, Selector: currentRound, Data: word(9000)}}},
	{name: "funds", faults: []control.Fault{{Kind: control.FalseAnswer, Selector: getSenderInfo,
		Data: make([]byte, 128)}}},
	{name: "receipts", faults: []control.Fault{{Kind: control.FalseReceipts}}},
	{name: "failures", faults: []control.Fault{
		{Kind: control.FalseReceipts, Failed: true}, {Kind: control.FalseRevert, Selector: redeemWinningTicket,
			Reason: "ticket did not win"},
	}},
	{name: "heads", faults: []control.Fault{{Kind: control.FalseHeads, Blocks: 30, L1Blocks: 5 * roundLength}}},
	{name: "far heads", unnamed: true, faults: []control.Fault{{Kind: control.FalseHeads, Blocks: 5000, L1Blocks: 20}}},
	{name: "base fee", faults: []control.Fault{{Kind: control.FalseHeads, Factor: 1_000_000}}},
	{name: "gas", faults: []control.Fault{{Kind: control.FalseGas, Factor: 1000}}},
}

// preferred has the node ask the first endpoint first: the others are slower.
func (w *world) preferred(faults ...control.Fault) {
	w.Helper()
	w.chain.SetFaults(0, faults...)
	for i := 1; i < len(w.urls); i++ {
		w.chain.SetFaults(i, control.Fault{Kind: control.Slow, Duration: control.Duration(150 * time.Millisecond)})
	}
}

// TestLiesEndNoWinner: of three endpoints the one that the node asks first lies, in
// each way there is. Every winning ticket is paid, the account pays for the gas of
// its transactions and no more, and the liar is named.
func TestLiesEndNoWinner(t *testing.T) {
	t.Parallel()
	for _, l := range lies {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 3)
			n := w.orchestrator(control.OrchestratorKey(0))
			all := w.winners(n.account, 4)
			n.owns(all)
			before := w.balance(n.account)
			w.preferred(l.faults...)
			n.start()
			n.Wait("the payouts", time.Minute, func() bool {
				if s := n.states(); s[pm.TicketFailed]+s[pm.TicketExpired] > 0 {
					t.Fatalf("winners ended: %v", s)
				}
				return n.paid(len(all)) && w.used(all) == len(all)
			})
			if !l.unnamed {
				n.Wait("the liar's name", 20*time.Second,
					func() bool { return n.shows(fault.RPCContradicted, w.host(0)) })
			}
			if spent := new(big.Int).Sub(before, w.balance(n.account)); spent.Cmp(dearest(len(all))) > 0 {
				t.Errorf("%d redemptions cost %v wei", len(all), spent)
			}
		})
	}
}

// dearest is what so many redemptions may cost: half a million gas each at the base
// fee of these chains, and as much again.
func dearest(redemptions int) *big.Int {
	return new(big.Int).Mul(big.NewInt(2*500_000*baseFee), big.NewInt(int64(redemptions)))
}

// sweeps is longer than from one sweep of the books to the next.
const sweeps = 12 * time.Second

// TestOneEndpointIsNoJudge: the only endpoint says that a winner did not win, and then
// that its rounds are over. What the node checked itself is not given up, and what
// ended comes back with the truth.
func TestOneEndpointIsNoJudge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	n := w.orchestrator(control.OrchestratorKey(0))
	all := w.winners(n.account, 2)
	n.owns(all)
	w.chain.SetFaults(0, control.Fault{Kind: control.FalseRevert, Selector: redeemWinningTicket,
		Reason: "ticket did not win"})
	n.start()
	n.Wait("the dispute", 20*time.Second, func() bool { return n.shows(fault.WinnerDisputed, "") })
	if s := n.states(); s[pm.TicketFailed] > 0 {
		t.Fatalf("winners ended: %v", s)
	}
	n.stop()
	w.chain.SetFaults(0, control.Fault{Kind: control.FalseAnswer, Selector: currentRound, Data: word(9000)},
		control.Fault{Kind: control.FalseAnswer, Selector: lastInitializedRound, Data: word(9000)})
	n.start()
	n.Wait("the end of the tickets", 20*time.Second, func() bool { return n.states()[pm.TicketExpired] == len(all) })
	n.sees(uint64(sweeps / blockTime))
	if s := n.states(); s[pm.TicketExpired] != len(all) {
		t.Errorf("a false round put winners away: %v", s)
	}
	w.chain.SetFaults(0)
	n.stop()
	n.start()
	n.Wait("the payouts", time.Minute, func() bool { return n.paid(len(all)) && w.used(all) == len(all) })
}
