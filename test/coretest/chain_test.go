package coretest_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"errors"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/test/coretest"
)

var (
	me    = core.Address{1}
	other = core.Address{2}
)

func TestChainFake(t *testing.T) {
	t.Parallel()
	c := coretest.NewChain(me, core.Address{})
	coretest.TestChain(t, coretest.ChainBench{
		Ports:     c,
		NextRound: func(*testing.T) { c.ToRound(c.View().Round.Number + 1) },
		Gateway: func(t *testing.T, deposit, reserve core.Wei) *ecdsa.PrivateKey {
			key, err := crypto.ToECDSA(bytes.Repeat([]byte{7}, 32))
			if err != nil {
				t.Fatal(err)
			}
			c.SetSender(coretest.AddressOf(key), protocol.Sender{Deposit: deposit,
				Reserve: protocol.Reserve{FundsRemaining: reserve}})
			return key
		},
	})
}

func TestChainFakeEvictsTheLast(t *testing.T) {
	t.Parallel()
	c := coretest.NewChain(me, core.Address{})
	c.SetParameters(func(p *protocol.Parameters) { p.PoolMaxSize = 1 })
	c.Activate(me, core.LPTTokens(10), "https://me:8935")
	c.Register(other, core.LPTTokens(10), "")
	if v := c.View(); v.Self.DeactivationRound != protocol.Never {
		t.Errorf("equal stake evicted the incumbent: %+v", v.Self)
	}
	c.Register(other, core.LPTTokens(1), "")
	round := c.View().Round.Number
	if v := c.View(); v.Self.DeactivationRound != round+1 || !v.Self.Active {
		t.Errorf("after eviction: %+v", v.Self)
	}
	c.ToRound(round + 1)
	if v := c.View(); v.Self.Active || v.Round.Initialized || v.Round.Number != round+1 {
		t.Errorf("in the next round: %+v", v)
	}
}

func TestChainFakeHolds(t *testing.T) {
	t.Parallel()
	c := coretest.NewChain(me, core.Address{})
	c.Hold(true)
	tx, err := c.Send(t.Context(), protocol.SetServiceURI{URI: "https://x:1"}, protocol.SendOptions{Async: true})
	if err != nil || tx.State != protocol.TxSubmitted {
		t.Fatalf("%+v, %v", tx, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := c.Send(ctx, protocol.Approve{Amount: core.NewLPT(1)}, protocol.SendOptions{})
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that left: %v", err)
	}
	c.Mine(1, 0)
	if got := c.Transactions()[0].State; got != protocol.TxMined {
		t.Errorf("after a block: %s", got)
	}
	c.Reorganize(1)
	if got := c.Transactions()[0].State; got != protocol.TxSubmitted {
		t.Errorf("after a reorganization: %s", got)
	}
	c.Mine(1, 0)
	c.Mine(1, 0)
	if got := c.Transactions()[0].State; got != protocol.TxFinal {
		t.Errorf("after two blocks: %s", got)
	}
}

func TestChainFakeForgets(t *testing.T) {
	t.Parallel()
	c := coretest.NewChain(me, core.Address{})
	c.Forget()
	if _, err := c.Round(t.Context()); !errors.Is(err, fault.ChainNotReady) || c.View().Known || c.ChainID() != 0 {
		t.Errorf("%v, %+v", err, c.View())
	}
	var stale bool
	defer c.Subscribe(func(e protocol.Event) {
		if s, ok := e.(protocol.StaleSeen); ok {
			stale = s.Stale
		}
	})()
	c.Learn()
	c.SetStale(true)
	if !c.View().Known || !c.View().Stale || !stale {
		t.Errorf("%+v", c.View())
	}
	if _, err := coretest.NewChain(core.Address{}, me).Send(t.Context(), protocol.Reward{},
		protocol.SendOptions{}); !errors.Is(err, fault.AccountMissing) {
		t.Errorf("without an account: %v", err)
	}
}
