package router_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/server/rpc"
)

// signed is the request of a gateway with an account of its own.
func signed(t *testing.T) *rpc.OrchestratorRequest {
	t.Helper()
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	sender := crypto.PubkeyToAddress(key.PublicKey)
	sig, err := signature.NodeSign(key, signature.Request(sender))
	if err != nil {
		t.Fatal(err)
	}
	return &rpc.OrchestratorRequest{Address: sender[:], Sig: sig}
}

// TestRequestsThatNoGatewayMakes: no orchestrator gets them.
func TestRequestsThatNoGatewayMakes(t *testing.T) {
	t.Parallel()
	n := newNode(t, "a")
	client, _ := start(t, newBoard(), n.addr())
	good, other := signed(t), signed(t)
	for name, req := range map[string]*rpc.OrchestratorRequest{
		"short address":              {Address: make([]byte, 19)},
		"long address":               {Address: make([]byte, 4096), Sig: good.GetSig()},
		"short signature":            {Address: good.GetAddress(), Sig: good.GetSig()[:64]},
		"long signature":             {Address: good.GetAddress(), Sig: make([]byte, 4096)},
		"signature of another":       {Address: good.GetAddress(), Sig: other.GetSig()},
		"signature without address":  {Sig: good.GetSig()},
		"signature of the zero key":  {Address: common.Address{}.Bytes(), Sig: make([]byte, 65)},
		"more than a message may be": {Address: good.GetAddress(), Sig: make([]byte, 20<<10)},
	} {
		_, err := client.GetOrchestrator(t.Context(), req)
		if err == nil || !strings.Contains(err.Error(), "orchestrator req sig check failed") &&
			name != "more than a message may be" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if asked := n.asked.Load(); asked != 0 {
		t.Errorf("the orchestrator was asked %d times", asked)
	}
	for name, req := range map[string]*rpc.OrchestratorRequest{"signed": good, "off-chain": {Address: make([]byte, 20)},
		"nothing": {}} {
		if _, err := client.GetOrchestrator(t.Context(), req); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestUnsignedRequestsOnAChain: an orchestrator that names terms of payment refuses them,
// so it is not asked.
func TestUnsignedRequestsOnAChain(t *testing.T) {
	t.Parallel()
	n := newNode(t, "a")
	n.terms = true
	client, _ := start(t, newBoard(), n.addr())
	if _, err := client.GetOrchestrator(t.Context(), signed(t)); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := client.GetOrchestrator(t.Context(), &rpc.OrchestratorRequest{}); err == nil ||
			!strings.Contains(err.Error(), "orchestrator req sig check failed") {
			t.Error(err)
		}
	}
	if asked := n.asked.Load(); asked != 1 {
		t.Errorf("the orchestrator was asked %d times", asked)
	}
}

// TestUnansweredOffersAreNamed: an orchestrator whose status can be read and that does
// not answer is named until it does.
func TestUnansweredOffersAreNamed(t *testing.T) {
	t.Parallel()
	silent, good := newNode(t, "silent"), newNode(t, "good")
	silent.silent, silent.late = make(chan struct{}), true
	board := newBoard()
	client, _ := start(t, board, silent.addr(), good.addr())
	ask := func() {
		if _, err := client.GetOrchestrator(t.Context(), &rpc.OrchestratorRequest{}); err != nil {
			t.Fatal(err)
		}
	}
	await(t, board, silent.addr(), true, ask)
	close(silent.silent)
	await(t, board, silent.addr(), false, ask)
}

// await asks until the condition OffersUnanswered is there, or is not.
func await(t *testing.T, board *health.Board, addr string, there bool, ask func()) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		ask()
		is := false
		for _, c := range board.Snapshot() {
			is = is || c.Code == fault.OffersUnanswered && c.About == addr
		}
		if is == there {
			return
		}
		select {
		case <-t.Context().Done():
			t.Fatalf("the condition: %t", is)
		case <-tick.C:
		}
	}
}
