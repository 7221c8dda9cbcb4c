package endpoint

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// noLayerOne answers blocks as a proxy does that knows no members of Arbitrum.
func noLayerOne(n *fakeNode) func([]json.RawMessage) (any, map[string]any) {
	return func(params []json.RawMessage) (any, map[string]any) {
		block, _ := n.blockByTag(params).(map[string]any)
		delete(block, "l1BlockNumber")
		return block, nil
	}
}

// Rounds are counted in layer-1 blocks: a block of Arbitrum One that does not say
// its own is none, and an endpoint that has it gets the request instead.
func TestBlocksOfArbitrumTellOfLayerOne(t *testing.T) {
	t.Parallel()
	bad, good := newFakeNode(t), newFakeNode(t)
	bad.answers["eth_getBlockByNumber"] = noLayerOne(bad)
	alone := poolOf(t, nil, bad)
	if head, err := alone.Head(t.Context()); !errors.Is(err, fault.RPCGarbage) {
		t.Errorf("head %+v, %v", head, err)
	}
	if _, known := alone.Known(); known {
		t.Error("it became the newest block")
	}
	both := poolOf(t, nil, bad, good)
	for range 3 {
		if head, err := both.Head(t.Context()); err != nil || head.L1 != 1000/48 {
			t.Errorf("head %+v, %v", head, err)
		}
		if head, err := both.HeaderByNumber(t.Context(), 960); err != nil || head.L1 != 960/48 {
			t.Errorf("block %+v, %v", head, err)
		}
	}
}

// The chain need not be named for that: the first answer names it.
func TestLayerOneIsMissedOnceTheChainIsKnown(t *testing.T) {
	t.Parallel()
	for id, want := range map[uint64]protocol.L1Block{arbitrumOne: 0, 54321: 1000} {
		n := newFakeNode(t)
		n.chainID = id
		n.answers["eth_getBlockByNumber"] = noLayerOne(n)
		p := poolOf(t, func(o *Options) { o.ChainID = 0 }, n)
		head, err := p.Head(t.Context())
		if head.L1 != want || (err == nil) != (want != 0) {
			t.Errorf("chain %d: %+v, %v", id, head, err)
		}
	}
}
