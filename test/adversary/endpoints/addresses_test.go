package endpoints

import (
	"encoding/hex"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/devnet/control"
	"github.com/tuttinode/tutti/test/harness"
)

// thief is whose address stands where the ticket broker's should.
var thief = core.Address{0x7e, 19: 0x1f}

// falseBroker says that the ticket broker is the thief's.
func falseBroker() control.Fault {
	name := crypto.Keccak256([]byte("TicketBroker"))
	return control.Fault{Kind: control.FalseAnswer, Selector: getContract + hex.EncodeToString(name),
		Data: common.LeftPadBytes(thief[:], 32)}
}

// funder is a gateway with an account of the chain's.
func (w *world) funder() *node {
	w.Helper()
	front := harness.Address(w)
	return w.newNode(w.chain.Key(3), "-gateway", "-httpAddr", front)
}

func (n *node) fund() (string, int) {
	n.w.Helper()
	return n.cli("deposit", "fund", "--deposit", "3ETH", "--reserve", "0")
}

// robbed is what the thief got.
func (w *world) robbed() *big.Int {
	w.Helper()
	return w.balance(thief)
}

// TestOneEndpointNamesNoContract: of three endpoints, one says from the start that the
// ticket broker is the thief's. The money goes to the true one, and the liar is named.
func TestOneEndpointNamesNoContract(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	w.preferred(falseBroker())
	n := w.funder()
	n.start()
	n.knows()
	if out, status := n.fund(); status != 0 {
		t.Errorf("%d: %s", status, out)
	}
	if lost := w.robbed(); lost.Sign() != 0 {
		t.Errorf("the thief has %v wei", lost)
	}
	n.Wait("the liar's name", 20*time.Second, func() bool { return n.shows(fault.RPCContradicted, w.host(0)) })
}

// TestTwoEndpointsMustAgree: of two endpoints one names a false contract. Neither is
// believed, and nothing is signed.
func TestTwoEndpointsMustAgree(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.preferred(falseBroker())
	n := w.funder()
	n.start()
	n.Wait("the dispute", 30*time.Second, func() bool { return n.shows(fault.ChainDisputed, w.host(0)) })
	n.refuses(w)
}

// TestOneHostHasOneVote: a lying host is given by two addresses, as https and wss of one
// provider are, alongside an honest one. It does not outvote that one.
func TestOneHostHasOneVote(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.urls = []string{w.urls[0], w.urls[0] + "/further", w.urls[1]}
	w.preferred(falseBroker())
	n := w.funder()
	n.start()
	n.Wait("the dispute", 30*time.Second, func() bool { return n.shows(fault.ChainDisputed, w.host(0)) })
	n.refuses(w)
}

// TestChangedContractIsNotSignedFor: the only endpoint names a false contract after it
// named the true one. Nothing is signed until the operator confirms it, and without
// that the node goes on once the answer is the old one again.
func TestChangedContractIsNotSignedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	n := w.funder()
	n.start()
	n.knows()
	n.stop()
	w.chain.SetFaults(0, falseBroker())
	n.start()
	n.Wait("the change", 30*time.Second, func() bool { return n.shows(fault.ContractsChanged, "TicketBroker") })
	n.refuses(w)
	out, status := n.cli("contracts", "show")
	if status != 0 || !strings.Contains(out, thief.String()) {
		t.Errorf("%d: the change is not shown: %s", status, out)
	}
	w.chain.SetFaults(0)
	n.stop()
	n.start()
	n.knows()
	if out, status := n.fund(); status != 0 {
		t.Errorf("%d: the true contract is refused: %s", status, out)
	}
	if lost := w.robbed(); lost.Sign() != 0 {
		t.Errorf("the thief has %v wei", lost)
	}
}

// TestOperatorConfirmsContracts: what the operator confirms is signed for, also after
// a restart.
func TestOperatorConfirmsContracts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	n := w.funder()
	n.start()
	n.knows()
	n.stop()
	w.chain.SetFaults(0, falseBroker())
	n.start()
	n.Wait("the change", 30*time.Second, func() bool { return n.shows(fault.ContractsChanged, "TicketBroker") })
	if out, status := n.cli("contracts", "confirm"); status != 0 {
		t.Fatalf("%d: %s", status, out)
	}
	n.Wait("the end of the condition", 20*time.Second, func() bool { return !n.shows(fault.ContractsChanged, "") })
	n.stop()
	n.start()
	n.knows()
	if out, status := n.fund(); status != 0 || w.robbed().Sign() == 0 {
		t.Errorf("%d: what was confirmed is not used: %s", status, out)
	}
}

// refuses checks that no money leaves the account.
func (n *node) refuses(w *world) {
	w.Helper()
	before := w.balance(n.account)
	if out, status := n.fund(); status == 0 {
		w.Errorf("the deposit is made: %s", out)
	}
	if lost := w.robbed(); lost.Sign() != 0 || w.balance(n.account).Cmp(before) != 0 {
		w.Errorf("the thief has %v wei", lost)
	}
}

// TestTwoOfSixNameNoContract: two of six endpoints name the thief's contract at once, and
// the four honest ones take longer for their answers than a vote usually waits. Two equal
// answers are no proof while four others are in use.
func TestTwoOfSixNameNoContract(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 6)
	w.misbehave([]control.Fault{falseBroker()})
	for i := 2; i < 6; i++ {
		w.chain.SetFaults(i, control.Fault{Kind: control.Slow, Duration: control.Duration(2500 * time.Millisecond),
			Methods: []string{"eth_call"}, Times: 3})
	}
	n := w.funder()
	n.start()
	n.knows()
	n.Wait("a deposit", 30*time.Second, func() bool {
		_, status := n.fund()
		return status == 0
	})
	if lost := w.robbed(); lost.Sign() != 0 {
		t.Errorf("the thief has %v wei", lost)
	}
	n.Wait("a liar's name", 20*time.Second, func() bool {
		return n.shows(fault.RPCContradicted, w.host(0)) || n.shows(fault.RPCContradicted, w.host(1))
	})
}
