package txmgr_test

import (
	"errors"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// switchChain puts another chain with the same number in the place of the rig's. The
// Manager starts again on the journal there is.
func (r *rig) switchChain(salt byte) {
	r.stop()
	fresh := newChain()
	fresh.onSend = r.chain.onSend
	fresh.blocks[0].hash[31] = salt
	r.chain = fresh
	r.start()
}

func TestAnotherChainKnowsNothingOfTheOneBefore(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		once := protocol.SendOptions{Once: "reward 5"}
		r.mined(r.send(act("bond"), protocol.SendOptions{}))
		r.mined(r.send(act("reward"), once))
		r.settled()
		r.send(act("transfer"), protocol.SendOptions{Async: true})
		before := r.chain
		r.switchChain(1)
		if tx := r.mined(r.send(act("reward"), once)); tx.Nonce != 0 || r.chain.done("reward") != 1 {
			t.Errorf("%+v", tx)
		}
		r.beat(900)
		if r.chain.done("bond")+r.chain.done("transfer") != 0 || r.chain.used() != 1 || len(r.m.Transactions()) != 1 {
			t.Errorf("done again: %+v", r.m.Transactions())
		}
		// The first one is back, and what was on its way there.
		r.stop()
		r.chain = before
		r.start()
		if r.settled(); before.done("transfer") != 1 || before.done("bond") != 1 || len(r.m.Transactions()) != 3 {
			t.Errorf("%+v", r.m.Transactions())
		}
		if r.mined(r.send(act("reward"), once)); before.done("reward") != 1 {
			t.Error("done twice")
		}
	})
}

// Until an endpoint says which chain it is, nothing is handed out.
func TestNothingIsSentToAChainWithoutAName(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		r.send(act("transfer"), protocol.SendOptions{Async: true})
		fresh := newChain()
		fresh.blocks[0].hash[31] = 1
		fresh.nameless = fault.New(fault.ChainUnavailable, "read block 0", "")
		fresh.onSend = func(tx *types.Transaction) { t.Errorf("%q was sent", tx.Data()) }
		r.stop()
		r.chain = fresh
		r.start()
		s := r.send(act("a"), protocol.SendOptions{})
		if r.beat(20); s.over() {
			t.Fatal(s.tx, s.err)
		}
		r.answered(r.send(act("b"), protocol.SendOptions{Once: "b"}), fault.ChainUnavailable)
		r.chain.set(func() { fresh.nameless, fresh.onSend = nil, nil })
		if tx := r.mined(s); tx.Nonce != 0 || fresh.done("transfer") != 0 {
			t.Errorf("%+v", tx)
		}
		r.settled()
	})
}

// rpcError is an endpoint's answer.
type rpcError struct{ error }

func (rpcError) ErrorCode() int { return -32000 }

// On a network that does not show its block 0, nothing is compared.
func TestANetworkWithoutABlockZeroIsUsed(t *testing.T) {
	for name, tt := range map[string]struct {
		err   error
		after time.Duration
	}{
		"not kept":        {fault.New(fault.RPCBlockUnknown, "read block 0", ""), 0},
		"refused":         {rpcError{errors.New("history is pruned")}, 0},
		"refused somehow": {fault.New(fault.ChainUnavailable, "read block 0", ""), time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, nil, func(t *testing.T, r *rig) {
				r.stop()
				r.chain.set(func() { r.chain.nameless = tt.err })
				r.start()
				s := r.send(act("a"), protocol.SendOptions{Once: "a"})
				if tt.after > 0 {
					r.answered(s, fault.ChainUnavailable)
					if r.beat(30); r.chain.calls["genesis"] < 10 {
						t.Error("not tried again")
					}
					r.beat(int(tt.after / time.Second))
					s = r.send(act("a"), protocol.SendOptions{Once: "a"})
				}
				r.mined(s)
				r.kill()
				r.start()
				r.beat(int(tt.after / time.Second))
				if r.mined(r.send(act("a"), protocol.SendOptions{Once: "a"})); r.chain.done("a") != 1 {
					t.Error("not once")
				}
				r.settled()
			})
		})
	}
}

// The other chain's records cannot be read at the first try.
func TestAJournalThatFailsWhileTheChainChanges(t *testing.T) {
	run(t, nil, func(t *testing.T, r *rig) {
		r.mined(r.send(act("a"), protocol.SendOptions{Once: "a"}))
		r.settled()
		before := r.chain
		r.switchChain(1)
		r.mined(r.send(act("b"), protocol.SendOptions{}))
		r.settled()
		r.stop()
		r.chain = before
		r.journal.failLoads, r.journal.changed = 1, false
		r.start()
		s := r.send(act("c"), protocol.SendOptions{})
		if tx := r.mined(s); tx.ID != 2 || tx.Nonce != 1 {
			t.Errorf("%+v", tx)
		}
		r.settled()
	})
}
