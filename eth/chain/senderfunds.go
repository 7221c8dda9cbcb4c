package chain

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/peer"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/ethcall"
)

// SenderFunds are a gateway's funds and what the watched orchestrator drew of its
// reserve. Only the first question about an address reads the chain, one reading for
// all who ask at that time; who has funds is then watched, as with Watch.
func (c *Chain) SenderFunds(ctx context.Context, who core.Address) (protocol.SenderFunds, error) {
	if funds, known := c.senders.funds(who); known {
		return funds, nil
	}
	a := c.senders.ask(who, peer.For(ctx), c.opt.Now())
	if a.done == nil {
		return protocol.SenderFunds{}, nil
	}
	select {
	case <-ctx.Done():
		return protocol.SenderFunds{}, fault.Wrap(fault.CodeOf(ctx.Err()), "read a sender's funds", ctx.Err())
	case <-a.done:
		return a.funds, a.err
	}
}

// readNewcomers reads who is asked about for the first time, until ctx ends.
func (c *Chain) readNewcomers(ctx context.Context) {
	for {
		who, wait := c.senders.batch(c.opt.Now())
		if len(who) > 0 {
			funds, err := c.fundsOf(ctx, who)
			c.senders.answer(who, funds, err, c.opt.Now())
			c.stir()
			continue
		}
		if !c.rest(ctx, wait) {
			return
		}
	}
}

// rest waits for newcomers, or for as long as it takes to read again; false when
// ctx ended.
func (c *Chain) rest(ctx context.Context, wait time.Duration) bool {
	if wait <= 0 {
		select {
		case <-ctx.Done():
			return false
		case <-c.senders.news.wake:
			return true
		}
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// fundsOf reads funds at the newest block that is known: that one costs no call.
func (c *Chain) fundsOf(ctx context.Context, who []core.Address) ([]protocol.SenderFunds, error) {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	n, err := c.contracts(ctx)
	if err != nil {
		return nil, err
	}
	block := ethcall.Latest
	if v := c.View(); v.Known && !v.Stale {
		block = v.Head.Number
	}
	r := reader{client: c.opt.Client, self: c.opt.Orchestrator}
	return r.funds(ctx, n, block, who)
}
