package endpoints

import (
	"context"
	"math/big"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// The selectors that only these lies are about.
const (
	batchRedeem   = "0xd01b808e"
	getTranscoder = "0x5dce9948"
)

// TestBatchesInPieces: forty winners are redeemed while one endpoint of three tells ever new lies, about batches
// too, and the node is killed after each lie. All are paid, and nothing is sent again that was sent.
func TestBatchesInPieces(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	n := w.orchestrator(control.OrchestratorKey(0))
	all := w.winners(n.account, 40)
	n.owns(all)
	before := w.balance(n.account)
	lies := [][]control.Fault{
		{{Kind: control.FalseRevert, Selector: batchRedeem, Reason: "ticket is used"}},
		{{Kind: control.FalseReceipts}},
		{{Kind: control.FalseReceipts, Failed: true}},
		{{Kind: control.FalseAnswer, Selector: usedTickets, Data: word(1)}},
		{{Kind: control.FalseAnswer, Selector: usedTickets, Data: word(0)}, {Kind: control.StaleReceipts}},
	}
	for i, faults := range lies {
		w.preferred(faults...)
		n.start()
		n.Wait("some payouts", 30*time.Second, func() bool {
			s := n.states()
			if s[pm.TicketFailed]+s[pm.TicketExpired] > 0 {
				t.Fatalf("winners ended: %v", s)
			}
			return s[pm.TicketSubmitted]+s[pm.TicketMined] > 0 || n.paid(len(all)) || w.used(all) >= 16*(i+1)
		})
		n.Signal(syscall.SIGKILL)
		n.Exit(30 * time.Second)
	}
	w.preferred()
	n.start()
	n.Wait("the payouts", 2*time.Minute, func() bool { return n.paid(len(all)) && w.used(all) == len(all) })
	spent := new(big.Int).Sub(before, w.balance(n.account))
	// A ticket of a batch takes 80 000 gas, one that is sent alone 250 000.
	if most := big.NewInt(int64(250_000 * baseFee * len(all))); spent.Cmp(most) > 0 {
		t.Errorf("%d redemptions cost %v wei, %v are enough", len(all), spent, most)
	}
}

// TestOneEndpointSendsNobodyAway: one endpoint of three says that the orchestrator leaves the active set. Its winners
// wait for their parameters, and it does not report that it leaves.
func TestOneEndpointSendsNobodyAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	n := w.orchestrator(control.OrchestratorKey(0))
	all := w.winners(n.account, 2)
	round := w.round()
	head, err := w.pool.Head(t.Context())
	w.must(err)
	for i := range all {
		all[i].ExpirationBlock = head.L1 + roundLength
	}
	n.owns(all)
	record := n.record()
	copy(record[5*32:6*32], word(uint64(round.Number)+1))
	w.preferred(control.Fault{Kind: control.FalseAnswer, Selector: getTranscoder, Data: record})
	n.start()
	n.knows()
	n.sees(60)
	if s := n.states(); s[pm.TicketWon] != len(all) || n.shows(fault.LeavingActiveSet, "") {
		t.Errorf("%v", s)
	}
}

// record is what the contract answers about an orchestrator.
func (n *node) record() []byte {
	n.w.Helper()
	to := common.Address(n.w.at.BondingManager)
	data := append(common.FromHex(getTranscoder), common.LeftPadBytes(n.account[:], 32)...)
	out, err := n.w.honest.CallContract(context.Background(), ethereum.CallMsg{To: &to, Data: data}, nil)
	n.w.must(err)
	return out
}
