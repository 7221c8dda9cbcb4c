package coretest

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// ChainPorts are the ports of package protocol together, as one adapter has them.
type ChainPorts interface {
	protocol.Rounds
	protocol.Stakes
	protocol.Settings
	protocol.Funds
	protocol.Senders
	protocol.Tickets
	protocol.Actor
	protocol.Events
	protocol.Views
}

// ChainBench is what the suite needs besides the ports: an account with at least
// 2000 tokens and some ether that has no bond, acts and is watched, in an
// initialized round that is not locked.
type ChainBench struct {
	Ports ChainPorts
	// NextRound goes to the first block of the next round and does not initialize it.
	NextRound func(t *testing.T)
	// Gateway gives an account that is new to the ports so much deposit and reserve.
	// Without it tickets are not tested.
	Gateway func(t *testing.T, deposit, reserve core.Wei) *ecdsa.PrivateKey
	// Settle is called where the suite waits, so that a chain without a clock of
	// its own can make a block. It may be nil.
	Settle func()
}

// chainRun is one run of the suite.
type chainRun struct {
	ChainBench
	mu   sync.Mutex
	seen []protocol.Event // guarded by mu
}

// TestChain checks an implementation of package protocol's ports in one life of
// an orchestrator, because that is what a chain allows: what was done stays done.
func TestChain(t *testing.T, bench ChainBench) {
	r := &chainRun{ChainBench: bench}
	defer bench.Ports.Subscribe(r.see)()
	for _, step := range []struct {
		name string
		run  func(*chainRun, *testing.T)
	}{
		{"the view agrees with what is read", (*chainRun).agrees},
		{"an action that cannot succeed is refused by name", (*chainRun).refused},
		{"a bond registers", (*chainRun).registers},
		{"records change", (*chainRun).changes},
		{"unbonding makes a lock", (*chainRun).locks},
		{"funds", (*chainRun).funds},
		{"a round that is not initialized", (*chainRun).closedRound},
		{"a reward, once", (*chainRun).rewards},
		{"tickets", (*chainRun).tickets},
		{"a caller that left", (*chainRun).leaves},
	} {
		if !t.Run(step.name, func(t *testing.T) { step.run(r, t) }) {
			return
		}
	}
}

func (r *chainRun) see(e protocol.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, e)
}

// until waits for an event that pred likes, among all that came since the last
// call of fresh.
func (r *chainRun) until(t *testing.T, what string, pred func(protocol.Event) bool) {
	t.Helper()
	r.wait(t, what, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return slices.ContainsFunc(r.seen, pred)
	})
}

func (r *chainRun) fresh() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = nil
}

func (r *chainRun) wait(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		if r.Settle != nil {
			r.Settle()
		}
		select {
		case <-deadline:
			t.Fatalf("no %s within 20 s; the view is %+v", what, r.Ports.View())
		case <-tick.C:
		}
	}
}

func (r *chainRun) send(t *testing.T, a protocol.Action) protocol.Transaction {
	t.Helper()
	tx, err := r.Ports.Send(t.Context(), a, protocol.SendOptions{})
	if err != nil {
		t.Fatalf("%s: %v", a.Verb(), err)
	}
	if tx.Verb != a.Verb() || tx.Hash.IsZero() || tx.Block == 0 || tx.State != protocol.TxMined &&
		tx.State != protocol.TxFinal {
		t.Fatalf("%s: transaction %+v", a.Verb(), tx)
	}
	return tx
}

func (r *chainRun) refuse(t *testing.T, a protocol.Action, want fault.Code) {
	t.Helper()
	if _, err := r.Ports.Send(t.Context(), a, protocol.SendOptions{}); !errors.Is(err, want) {
		t.Errorf("%s: %v, want %s", a.Verb(), err, want)
	}
	if _, err := r.Ports.Estimate(t.Context(), a); !errors.Is(err, want) {
		t.Errorf("estimate %s: %v, want %s", a.Verb(), err, want)
	}
}

func (r *chainRun) me(t *testing.T) protocol.Orchestrator {
	t.Helper()
	return got(r.Ports.Orchestrator(t.Context(), r.Ports.Account()))(t)
}

// got passes a result on, or fails the test.
func got[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func (r *chainRun) agrees(t *testing.T) {
	r.wait(t, "view", func() bool { return r.Ports.View().Known })
	round := got(r.Ports.Round(t.Context()))(t)
	if v := r.Ports.View(); v.Round.Number != round.Number || v.Round.Length != round.Length || !round.Initialized ||
		round.Locked {
		t.Errorf("the view's round is %+v, read %+v", v.Round, round)
	}
	if round.LastHash.IsZero() || round.Start == 0 || round.LastInitialized != round.Number {
		t.Errorf("the round is %+v", round)
	}
	p := got(r.Ports.Parameters(t.Context()))(t)
	if p.RoundLength != round.Length || p.PoolMaxSize == 0 || p.UnbondingPeriod == 0 || p.Paused {
		t.Errorf("the parameters are %+v", p)
	}
	b := got(r.Ports.Balances(t.Context(), r.Ports.Account()))(t)
	if v := r.Ports.View().Balances; v.Token.Cmp(b.Token) != 0 || v.Ether.Cmp(b.Ether) != 0 {
		t.Errorf("the view's balances are %v %v, read %v %v", v.Ether, v.Token, b.Ether, b.Token)
	}
	if r.Ports.ChainID() == 0 || r.Ports.Contracts()["BondingManager"].IsZero() {
		t.Errorf("chain %d, contracts %v", r.Ports.ChainID(), r.Ports.Contracts())
	}
}

func (r *chainRun) refused(t *testing.T) {
	self := r.Ports.Account()
	b := got(r.Ports.Balances(t.Context(), self))(t)
	r.refuse(t, protocol.Bond{Amount: b.Token.Add(core.NewLPT(1)), To: self}, fault.TokensMissing)
	r.refuse(t, protocol.Bond{Amount: core.LPTTokens(1), To: self}, fault.AllowanceMissing)
	r.refuse(t, protocol.Bond{To: self}, fault.ActionInvalid)
	r.refuse(t, protocol.Unbond{Amount: core.NewLPT(1)}, fault.StakeMissing)
	r.refuse(t, protocol.WithdrawFees{Recipient: self, Amount: core.NewWei(1)}, fault.FeesMissing)
	r.refuse(t, protocol.TransferTokens{To: self, Amount: b.Token.Add(core.NewLPT(1))}, fault.TokensMissing)
	r.refuse(t, protocol.SetCommission{RewardCut: 1}, fault.NotRegistered)
	r.refuse(t, protocol.Reward{}, fault.RewardNotDue)
	r.refuse(t, protocol.RewardFor{Orchestrator: core.Address{7}}, fault.RewardCallerRefused)
	r.refuse(t, protocol.InitializeRound{}, fault.RoundAlreadyInitialized)
	r.refuse(t, protocol.WithdrawStake{Lock: 3}, fault.UnbondingLockUnknown)
	r.refuse(t, protocol.Unlock{}, fault.SenderFundsMissing)
	r.refuse(t, protocol.CancelUnlock{}, fault.SenderUnlockState)
}

func (r *chainRun) leaves(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Ports.Round(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("reading with an ended context: %v", err)
	}
	if _, err := r.Ports.Send(ctx, protocol.ClaimEarnings{}, protocol.SendOptions{}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("sending with an ended context: %v", err)
	}
}
