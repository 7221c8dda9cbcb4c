package chain

import (
	"context"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

// Account returns the account that sends; zero for a node that only reads.
func (c *Chain) Account() core.Address { return c.opt.Account }

// Transactions returns the pending ones and the last ones that ended.
func (c *Chain) Transactions() []protocol.Transaction {
	if c.opt.Tx == nil {
		return nil
	}
	return c.opt.Tx.Transactions()
}

// Send does an action. If the chain's state speaks against it, it is refused before anything is simulated.
// The exception is an action with a Once text: the objection may be that it happened already, and then the
// caller wants that transaction.
func (c *Chain) Send(ctx context.Context, a protocol.Action, opt protocol.SendOptions) (protocol.Transaction, error) {
	call, refused, err := c.prepare(ctx, a)
	if err != nil {
		return protocol.Transaction{}, err
	}
	if refused != nil && opt.Once == "" {
		return protocol.Transaction{}, refused
	}
	tx, err := c.opt.Tx.Send(ctx, call, opt)
	if tx.Block != 0 {
		c.senders.reread(c.opt.Account) // payments need the new funds at once
		c.requestRefresh(tx.Block)
	}
	if err != nil && refused != nil && ctx.Err() == nil {
		return tx, refused
	}
	return tx, err
}

// Estimate says what an action would cost.
func (c *Chain) Estimate(ctx context.Context, a protocol.Action) (protocol.Estimate, error) {
	call, refused, err := c.prepare(ctx, a)
	if err != nil {
		return protocol.Estimate{}, err
	}
	if refused != nil {
		return protocol.Estimate{}, refused
	}
	return c.opt.Tx.Estimate(ctx, call)
}

// prepare makes the call of an action, and the error that the chain's state predicts.
func (c *Chain) prepare(ctx context.Context, a protocol.Action) (call contracts.Call, refused, err error) {
	if c.opt.Account.IsZero() || c.opt.Tx == nil {
		return contracts.Call{}, nil, fault.New(fault.AccountMissing, a.Verb(), "the node runs without one")
	}
	if err := c.Signable(); err != nil {
		return contracts.Call{}, nil, err
	}
	a = c.asRewardCaller(a)
	n, block, err := c.newest(ctx)
	if err != nil {
		return contracts.Call{}, nil, err
	}
	f, err := c.readActionState(ctx, n, block, a)
	if err != nil {
		return contracts.Call{}, nil, err
	}
	refused = check(a, f)
	var at contracts.BondHints
	if refused == nil {
		if at, err = c.hints(ctx, n, a, f); err != nil {
			c.opt.Log.Debug("no pool hints: the contract searches the list itself", "verb", a.Verb(), "err", err)
			at = contracts.BondHints{}
		}
	}
	call, err = n.calls.For(a, at)
	if err != nil && refused != nil {
		return contracts.Call{}, nil, refused
	}
	return call, refused, err
}

// asRewardCaller turns a reward into RewardFor when the account is another orchestrator's reward caller.
func (c *Chain) asRewardCaller(a protocol.Action) protocol.Action {
	if _, own := a.(protocol.Reward); own && c.opt.Orchestrator != c.opt.Account {
		return protocol.RewardFor{Orchestrator: c.opt.Orchestrator}
	}
	return a
}

// The ports that Chain implements.
var (
	_ protocol.Rounds   = (*Chain)(nil)
	_ protocol.Stakes   = (*Chain)(nil)
	_ protocol.Settings = (*Chain)(nil)
	_ protocol.Funds    = (*Chain)(nil)
	_ protocol.Senders  = (*Chain)(nil)
	_ protocol.Tickets  = (*Chain)(nil)
	_ protocol.Actor    = (*Chain)(nil)
	_ protocol.Events   = (*Chain)(nil)
	_ protocol.Views    = (*Chain)(nil)
)
