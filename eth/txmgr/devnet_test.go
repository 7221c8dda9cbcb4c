package txmgr_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/txmgr"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/devnet/control"
)

func (n *node) condition(code fault.Code) bool {
	return slices.ContainsFunc(n.board.Snapshot(), func(c health.Condition) bool { return c.Code == code })
}

func TestRealChain(t *testing.T) {
	t.Parallel()
	n := newNode(t, nil)
	once := protocol.SendOptions{Once: "a"}
	tx := n.do("a", once)
	if again := n.do("a", once); again.ID != tx.ID || tx.Nonce != 0 || tx.Fee.IsZero() {
		t.Errorf("%+v, then %+v", tx, again)
	}
	var last uint64
	for i := range 5 {
		last = n.do(fmt.Sprint(i), protocol.SendOptions{Async: i < 4}).ID
	}
	n.final(last)
	if used := n.used(); used != 6 {
		t.Errorf("%d transactions", used)
	}
}

func TestRealChainDropsATransaction(t *testing.T) {
	t.Parallel()
	n := newNode(t, nil)
	// Both endpoints are handed it.
	n.must(n.chain.Control.DropNext(t.Context(), 2))
	if tx := n.do("a", protocol.SendOptions{}); tx.Nonce != 0 || n.used() != 1 {
		t.Errorf("%+v", tx)
	}
}

func TestRealChainReorganizes(t *testing.T) {
	for _, depth := range []uint64{1, 12} {
		t.Run(fmt.Sprint(depth), func(t *testing.T) {
			t.Parallel()
			n := newNode(t, nil)
			n.must(n.chain.Control.SetL2BlockTime(t.Context(), 0))
			tx := n.do("a", protocol.SendOptions{})
			if depth > 1 {
				n.chain.Mine(depth - 1)
			}
			_, err := n.chain.Control.Reorg(t.Context(), control.Reorg{Depth: depth, Forget: true})
			n.must(err)
			n.chain.Mine(1)
			n.must(n.chain.Control.SetL2BlockTime(t.Context(), 20*time.Millisecond))
			if last := n.final(tx.ID); last.State != protocol.TxFinal || last.Block <= tx.Block || n.used() != 1 {
				t.Errorf("%+v, before %+v", last, tx)
			}
		})
	}
}

func TestRealChainGetsDear(t *testing.T) {
	t.Parallel()
	n := newNode(t, func(o *txmgr.Options) { o.MaxGasPrice = core.NewWei(1_000_000_000) })
	n.must(n.chain.Control.SetBaseFee(t.Context(), core.NewWei(5_000_000_000)))
	n.chain.Mine(1)
	n.eventually("the price", func() bool { return n.m.Prices().Current.Cmp(core.NewWei(5_000_000_000)) == 0 })
	done := make(chan error, 1)
	go func() {
		_, err := n.m.Send(t.Context(), act("a"), protocol.SendOptions{})
		done <- err
	}()
	n.eventually("the condition", func() bool { return n.condition(fault.GasPriceAboveMax) })
	n.must(n.chain.Control.SetBaseFee(t.Context(), core.NewWei(100_000_000)))
	n.must(<-done)
	if n.eventually("its end", func() bool { return !n.condition(fault.GasPriceAboveMax) }); n.used() != 1 {
		t.Error(n.used())
	}
}

func TestRealChainSpikesOverASentTransaction(t *testing.T) {
	t.Parallel()
	n := newNode(t, nil)
	n.must(n.chain.Control.SetAutomine(t.Context(), false))
	n.must(n.chain.Control.SetL2BlockTime(t.Context(), 0))
	sent := n.do("a", protocol.SendOptions{Async: true})
	n.must(n.chain.Control.SetBaseFee(t.Context(), core.NewWei(5_000_000_000)))
	n.must(n.chain.Control.SetL2BlockTime(t.Context(), 20*time.Millisecond))
	tx := n.final(sent.ID)
	if tx.Replaced != 1 || tx.Hash == sent.Hash || n.used() != 1 {
		t.Errorf("%+v", tx)
	}
}

func TestRealEndpointsLoseAnswers(t *testing.T) {
	t.Parallel()
	n := newNode(t, nil)
	for i := range 2 {
		n.chain.SetFaults(i, control.Fault{Kind: control.Reset, Methods: []string{"send"}, Times: 3})
	}
	n.do("a", protocol.SendOptions{})
	n.chain.SetFaults(0, control.Fault{Kind: control.HTTP429})
	n.chain.SetFaults(1, control.Fault{Kind: control.Reset, Methods: []string{"send"}, Times: 1})
	n.do("b", protocol.SendOptions{})
	n.chain.SetFaults(0, control.Fault{Kind: control.StaleReceipts})
	n.chain.SetFaults(1)
	tx := n.do("c", protocol.SendOptions{})
	n.final(tx.ID)
	if used := n.used(); used != 3 {
		t.Errorf("%d transactions", used)
	}
}

func TestRealChainAndARestart(t *testing.T) {
	t.Parallel()
	n := newNode(t, nil)
	n.must(n.chain.Control.SetAutomine(t.Context(), false))
	n.must(n.chain.Control.SetL2BlockTime(t.Context(), 0))
	once := protocol.SendOptions{Once: "a", Async: true}
	first := n.do("a", once)
	n.must(n.chain.Control.DropNext(t.Context(), 1000))
	second := n.do("b", protocol.SendOptions{Async: true})
	n.stop()
	n.must(n.chain.Control.DropNext(t.Context(), 0))
	n.start()
	if again := n.do("a", once); again.ID != first.ID {
		t.Errorf("%+v, before %+v", again, first)
	}
	n.must(n.chain.Control.SetL2BlockTime(t.Context(), 20*time.Millisecond))
	a, b := n.final(first.ID), n.final(second.ID)
	if a.State != protocol.TxFinal || b.State != protocol.TxFinal || a.Nonce != 0 || b.Nonce != 1 || n.used() != 2 {
		t.Errorf("%+v %+v", a, b)
	}
}

func TestRealChainIsShared(t *testing.T) {
	t.Parallel()
	n := newNode(t, nil)
	n.do("a", protocol.SendOptions{})
	n.must(n.chain.Control.SetAutomine(t.Context(), false))
	n.must(n.chain.Control.SetL2BlockTime(t.Context(), 0))
	sent := n.do("b", protocol.SendOptions{Async: true, Once: "b"})
	n.intrude(1, 10_000_000_000)
	n.must(n.chain.Control.SetL2BlockTime(t.Context(), 20*time.Millisecond))
	if lost := n.final(sent.ID); lost.State != protocol.TxDropped {
		t.Errorf("%+v", lost)
	}
	if again := n.final(sent.ID + 1); again.State != protocol.TxFinal || again.Nonce != 2 || n.used() != 3 ||
		!n.condition(fault.ForeignTransaction) {
		t.Errorf("%+v", again)
	}
}

// A test chain that was restarted on the same data directory.
func TestRealChainIsRestarted(t *testing.T) {
	t.Parallel()
	n := newNode(t, nil)
	once := protocol.SendOptions{Once: "reward 1"}
	n.do("bond", protocol.SendOptions{})
	n.final(n.do("reward", once).ID)
	before, err := n.pool.Genesis(t.Context())
	n.must(err)
	n.stop()
	// Chains that are started within the same second are the same.
	for genesis := before; genesis == before; {
		n.chain = devnet.Start(t, devnet.Options{NoContracts: true, Endpoints: 2, BlockTime: 20 * time.Millisecond})
		n.start()
		genesis, err = n.pool.Genesis(t.Context())
		n.must(err)
		if genesis == before {
			n.stop()
		}
	}
	if tx := n.final(n.do("reward", once).ID); tx.Nonce != 0 || tx.ID != 1 || n.used() != 1 ||
		len(n.m.Transactions()) != 1 {
		t.Errorf("%+v, %d used", n.m.Transactions(), n.used())
	}
}
