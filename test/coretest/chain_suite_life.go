package coretest

import (
	"slices"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

func (r *chainRun) registers(t *testing.T) {
	r.fresh()
	self, stake := r.Ports.Account(), core.LPTTokens(1000)
	before := got(r.Ports.Balances(t.Context(), self))(t)
	r.send(t, protocol.Approve{Amount: stake})
	r.send(t, protocol.Bond{Amount: stake, To: self})
	r.until(t, "event of this node's record", func(e protocol.Event) bool {
		s, ok := e.(protocol.SelfSeen)
		return ok && s.Orchestrator.Registered
	})
	o, round := r.me(t), got(r.Ports.Round(t.Context()))(t)
	if !o.Registered || o.Active || o.DelegatedStake.Cmp(stake) != 0 || o.ActivationRound != round.Number+1 ||
		o.DeactivationRound != protocol.Never {
		t.Errorf("the record is %+v", o)
	}
	d := got(r.Ports.Delegator(t.Context(), self))(t)
	if d.Delegate != self || d.Bonded.Cmp(stake) != 0 || d.Status != protocol.Pending ||
		d.StartRound != round.Number+1 {
		t.Errorf("the delegator is %+v", d)
	}
	after := got(r.Ports.Balances(t.Context(), self))(t)
	if after.Token.Add(stake).Cmp(before.Token) != 0 || after.Ether.Cmp(before.Ether) >= 0 {
		t.Errorf("the account had %v %v and has %v %v", before.Ether, before.Token, after.Ether, after.Token)
	}
	pool := got(r.Ports.Pool(t.Context()))(t)
	if !slices.ContainsFunc(pool, func(o protocol.Orchestrator) bool {
		return o.Address == self &&
			o.DelegatedStake.Cmp(stake) == 0
	}) {
		t.Errorf("the pool of %d lacks the new orchestrator", len(pool))
	}
	if !slices.IsSortedFunc(pool, func(a,
		b protocol.Orchestrator) int {
		return b.DelegatedStake.Cmp(a.DelegatedStake)
	}) {
		t.Error("the pool is not sorted by stake")
	}
	r.wait(t, "pool size", func() bool { return r.Ports.View().PoolSize == len(pool) })
}

func (r *chainRun) changes(t *testing.T) {
	r.fresh()
	self := r.Ports.Account()
	r.send(t, protocol.SetServiceURI{URI: "https://o.example:8935"})
	r.send(t, protocol.SetCommission{RewardCut: 100_000, FeeShare: 50_000})
	r.send(t, protocol.SetRewardCaller{Caller: core.Address{9}})
	r.until(t, "event of the service URI", func(e protocol.Event) bool {
		u, ok := e.(protocol.ServiceURISeen)
		return ok && u.URI == "https://o.example:8935"
	})
	right := func(o protocol.Orchestrator) bool {
		return o.Address == self && o.ServiceURI == "https://o.example:8935" && o.RewardCut == 100_000 &&
			o.FeeShare == 50_000 && o.RewardCaller == core.Address{9}
	}
	if o := r.me(t); !right(o) {
		t.Errorf("the record is %+v", o)
	}
	r.wait(t, "view of the changed record", func() bool { return right(r.Ports.View().Self) })
	once := protocol.SendOptions{Once: "suite"}
	first, err := r.Ports.Send(t.Context(), protocol.SetRewardCaller{}, once)
	second, err2 := r.Ports.Send(t.Context(), protocol.SetRewardCaller{}, once)
	if err != nil || err2 != nil || first.ID != second.ID {
		t.Errorf("what may happen once is transactions %d (%v) and %d (%v)", first.ID, err, second.ID, err2)
	}
	if all := r.Ports.Transactions(); !slices.ContainsFunc(all,
		func(x protocol.Transaction) bool { return x.ID == first.ID }) {
		t.Errorf("%d is not among the transactions", first.ID)
	}
}

func (r *chainRun) locks(t *testing.T) {
	r.NextRound(t)
	r.send(t, protocol.InitializeRound{})
	r.fresh()
	r.send(t, protocol.Unbond{Amount: core.LPTTokens(100)})
	r.until(t, "event of the lock", func(e protocol.Event) bool {
		l, ok := e.(protocol.LockSeen)
		return ok && l.Lock.ID == 0 && l.Lock.Amount.Cmp(core.LPTTokens(100)) == 0
	})
	held := got(r.Ports.UnbondingLocks(t.Context(), r.Ports.Account()))(t)
	p, round := got(r.Ports.Parameters(t.Context()))(t), got(r.Ports.Round(t.Context()))(t)
	if len(held) != 1 || held[0].Delegator != r.Ports.Account() ||
		held[0].WithdrawRound != round.Number+p.UnbondingPeriod {
		t.Fatalf("the locks are %+v", held)
	}
	r.refuse(t, protocol.WithdrawStake{Lock: 0}, fault.UnbondingLockWaiting)
	r.send(t, protocol.Rebond{Lock: 0})
	r.until(t, "event that the lock is gone", func(e protocol.Event) bool {
		l, ok := e.(protocol.LockSeen)
		return ok && l.Lock.ID == 0 && l.Lock.Amount.IsZero()
	})
	if held := got(r.Ports.UnbondingLocks(t.Context(), r.Ports.Account()))(t); len(held) != 0 {
		t.Errorf("the locks are %+v", held)
	}
}

func (r *chainRun) funds(t *testing.T) {
	self := r.Ports.Account()
	r.send(t, protocol.FundDepositAndReserve{Deposit: core.NewWei(1000), Reserve: core.NewWei(2000)})
	r.send(t, protocol.FundDeposit{Amount: core.NewWei(5)})
	s := got(r.Ports.Sender(t.Context(), self))(t)
	if s.Deposit.Cmp(core.NewWei(1005)) != 0 || s.Reserve.FundsRemaining.Cmp(core.NewWei(2000)) != 0 ||
		s.WithdrawRound != 0 {
		t.Errorf("the funds are %+v", s)
	}
	r.refuse(t, protocol.WithdrawFunds{}, fault.SenderUnlockState)
	r.send(t, protocol.Unlock{})
	r.refuse(t, protocol.Unlock{}, fault.SenderUnlockState)
	p, round := got(r.Ports.Parameters(t.Context()))(t), got(r.Ports.Round(t.Context()))(t)
	if s := got(r.Ports.Sender(t.Context(), self))(t); s.WithdrawRound != round.Number+p.UnlockPeriod {
		t.Errorf("the funds are %+v in round %d", s, round.Number)
	}
	r.refuse(t, protocol.WithdrawFunds{}, fault.SenderUnlockState)
	r.send(t, protocol.CancelUnlock{})
}

func (r *chainRun) closedRound(t *testing.T) {
	r.fresh()
	r.NextRound(t)
	r.until(t, "event of the round", func(e protocol.Event) bool {
		s, ok := e.(protocol.RoundSeen)
		return ok && !s.Round.Initialized && s.Round.LastInitialized+1 == s.Round.Number
	})
	r.refuse(t, protocol.Reward{}, fault.RoundNotInitialized)
	r.refuse(t, protocol.ClaimEarnings{}, fault.RoundNotInitialized)
	r.send(t, protocol.InitializeRound{})
	r.until(t, "event that the round is open", func(e protocol.Event) bool {
		s, ok := e.(protocol.RoundSeen)
		return ok && s.Round.Initialized && !s.Round.LastHash.IsZero() && s.Round.LastHash != s.Round.PreviousHash
	})
	r.wait(t, "view of the open round and an active orchestrator", func() bool {
		v := r.Ports.View()
		return v.Round.Initialized && v.Self.Active
	})
}

func (r *chainRun) rewards(t *testing.T) {
	r.fresh()
	self, round := r.Ports.Account(), got(r.Ports.Round(t.Context()))(t)
	before := r.me(t)
	if p := got(r.Ports.EarningsPool(t.Context(), self,
		round.Number))(t); p.TotalStake.Cmp(before.DelegatedStake) != 0 {
		t.Errorf("the earnings pool is %+v, the stake %v", p, before.DelegatedStake)
	}
	tx := r.send(t, protocol.Reward{})
	var minted core.LPT
	r.until(t, "event of the reward", func(e protocol.Event) bool {
		s, ok := e.(protocol.RewardSeen)
		minted = s.Amount
		return ok && s.Round == round.Number && s.Tx == tx.Hash
	})
	o := r.me(t)
	if o.LastRewardRound != round.Number || minted.IsZero() ||
		o.DelegatedStake.Cmp(before.DelegatedStake.Add(minted)) != 0 {
		t.Errorf("%v was minted; the record is %+v", minted, o)
	}
	r.refuse(t, protocol.Reward{}, fault.RewardNotDue)
	r.wait(t, "view of the rewarded record", func() bool { return r.Ports.View().Self.LastRewardRound == round.Number })
}
