package action

import (
	"context"
	"fmt"

	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// askActivation checks what prevents an activation before it asks for anything.
func askActivation(ctx context.Context, c *verb.Call) error {
	c.Report("An orchestrator bonds stake to itself, sets its cuts and publishes its address. Each of these is a " +
		"transaction that needs gas; you see each one's cost before it is sent, and can stop at any time.")
	if err := readSelf(ctx, c); err != nil {
		return err
	}
	if err := checkRound(ctx, c); err != nil {
		return err
	}
	if err := checkBalances(ctx, c); err != nil {
		return err
	}
	if err := askOffer(ctx, c); err != nil {
		return err
	}
	return askStake(ctx, c)
}

// checkRound refuses to begin while the round is locked: a new orchestrator cannot set its
// cuts then.
func checkRound(ctx context.Context, c *verb.Call) error {
	self := verb.Get[adminapi.Orchestrator](c, keySelf)
	chain, err := readChain(ctx, c)
	if err != nil || self.Registered || !chain.Round.Locked {
		return err
	}
	about, err := c.About(ctx)
	if err != nil {
		return err
	}
	return fault.New(fault.RoundLocked, "become an orchestrator", lockEnd(about, chain))
}

// lockEnd says when a locked round ends.
func lockEnd(n adminapi.Node, chain adminapi.Chain) string {
	left := until(chain.Head.L1, chain.Round.End)
	text := fmt.Sprintf("round %d is locked until its end: cuts can be set again from round %d on, ", chain.Round.Number,
		chain.Round.Number+1)
	if m := minutes(n, left); m != nil {
		return text + "after " + several(int(left), "more layer-1 block") + ", " + inTime(left, m)
	}
	return text + inTime(left, nil)
}

// checkBalances tells the account's balances, and refuses to begin without ETH for gas.
func checkBalances(ctx context.Context, c *verb.Call) error {
	about, err := c.About(ctx)
	if err != nil {
		return err
	}
	var b adminapi.Balances
	if err := c.Node.Get(ctx, adminapi.PathBalances, &b); err != nil {
		return err
	}
	account := "the node's account"
	if about.Account != nil {
		account = about.Account.String()
	}
	c.Report("%s has %s for gas and %s to stake.", account, verb.FormatEther(b.Ether), verb.FormatStake(b.Token))
	c.Put(keyBalance, b.Token)
	if b.Ether.IsZero() {
		return fault.New(fault.GasMoneyMissing, "become an orchestrator",
			"there is no ETH to pay gas with: send some to "+account+" on "+about.Network)
	}
	return nil
}

// askStake asks what to bond, unless the account is bonded to itself already.
func askStake(ctx context.Context, c *verb.Call) error {
	d, err := delegator(ctx, c)
	if err != nil {
		return err
	}
	if d.Delegate != nil && *d.Delegate == d.Address && !d.PendingStake.IsZero() {
		c.Report("You have bonded %s to yourself already; stake bond adds to it.", verb.FormatStake(d.PendingStake))
		return nil
	}
	var locks adminapi.UnbondingLocks
	if err := c.Node.Get(ctx, adminapi.PathUnbondingLocks, &locks); err != nil {
		return err
	}
	if len(locks.Locks) > 0 {
		Locks{locks}.Print(c.TellPage())
		use, err := c.Confirm(ctx, "Bond one of these unbonding locks again?")
		if err != nil {
			return err
		}
		if use {
			return c.AskNeeded(ctx, "unbonding-lock")
		}
	}
	if have := verb.Get[core.LPT](c, keyBalance); have.IsZero() {
		return fault.New(fault.TokensMissing, "become an orchestrator",
			"there are no tokens to stake: send LPT to "+d.Address.String())
	}
	if err := tellThreshold(ctx, c); err != nil {
		return err
	}
	return c.AskNeeded(ctx, "stake")
}

// tellThreshold tells the stake that a rank in the pool needs.
func tellThreshold(ctx context.Context, c *verb.Call) error {
	var pool adminapi.Orchestrators
	var rules adminapi.Parameters
	if err := c.Node.Get(ctx, adminapi.PathOrchestrators, &pool); err != nil {
		return err
	}
	if err := c.Node.Get(ctx, adminapi.PathParameters, &rules); err != nil {
		return err
	}
	n := len(pool.Orchestrators)
	if n < rules.PoolMaxSize || n == 0 {
		c.Report("The pool has %d of %d ranks taken, so any stake gets a rank at present.", n, rules.PoolMaxSize)
		return nil
	}
	c.Report("The pool's %d ranks are taken; the lowest has a total stake of %s, and you need more.", n,
		verb.FormatStake(pool.Orchestrators[n-1].DelegatedStake))
	return nil
}

// complete asks for every setting of a new orchestrator that was left out: it would be 0 on
// the chain, and changing it later costs gas again.
func complete(ctx context.Context, c *verb.Call) error {
	if !c.Has(keySelf) {
		if err := readSelf(ctx, c); err != nil {
			return err
		}
	}
	if verb.Get[adminapi.Orchestrator](c, keySelf).Registered {
		return nil
	}
	needed := []string{"reward-cut", "fee-cut", "service-uri"}
	if !c.Has("unbonding-lock") {
		needed = append(needed, "stake")
	}
	for _, name := range needed {
		if c.Has(name) {
			continue
		}
		if !c.CanAsk() {
			return verb.Mistake("--" + name + " is missing: an account that is not an orchestrator yet must give it")
		}
		if err := c.AskNeeded(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func runActivation(ctx context.Context, c *verb.Call) (verb.Result, error) {
	if err := complete(ctx, c); err != nil {
		return nil, err
	}
	return planned(runPlan(ctx, c, adminapi.PathActivate, adminapi.Activation{
		RewardCut: verb.Ref[core.PerMillion](c, "reward-cut"), FeeCut: verb.Ref[core.PerMillion](c, "fee-cut"),
		ServiceURI: verb.Ref[string](c, "service-uri"),
		Stake:      verb.Ref[core.LPT](c, "stake"), UnbondingLock: verb.Ref[protocol.LockID](c, "unbonding-lock"),
		Pricing: pricing(c),
	}))
}
