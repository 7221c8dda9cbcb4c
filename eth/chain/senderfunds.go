package chain

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

// SenderFunds returns a gateway's funds and what the watched orchestrator claimed of its reserve. Only the first
// request for an address reads the chain, one read for all concurrent callers; an address with funds is then
// watched, as with Watch.
func (c *Chain) SenderFunds(ctx context.Context, addr core.Address) (protocol.SenderFunds, error) {
	if funds, known := c.senders.funds(addr); known {
		return funds, nil
	}
	a := c.senders.request(addr, core.PeerFor(ctx), c.opt.Now())
	if a.done == nil {
		return a.funds, nil
	}
	select {
	case <-ctx.Done():
		return protocol.SenderFunds{}, fault.Wrap(fault.CodeOf(ctx.Err()), "read a sender's funds", ctx.Err())
	case <-a.done:
		return a.funds, a.err
	}
}

// readUnknownSenders reads the addresses asked about for the first time, until ctx ends.
func (c *Chain) readUnknownSenders(ctx context.Context) {
	for {
		addrs, wait := c.senders.nextBatch(c.opt.Now())
		if len(addrs) > 0 {
			funds, err := c.fundsOf(ctx, addrs)
			c.senders.complete(addrs, funds, err, c.opt.Now())
			c.wakeFollower()
			continue
		}
		if !c.waitForUnknown(ctx, wait) {
			return
		}
	}
}

// waitForUnknown waits for a new request, or until the next read is allowed; false when ctx ended.
func (c *Chain) waitForUnknown(ctx context.Context, wait time.Duration) bool {
	if wait <= 0 {
		select {
		case <-ctx.Done():
			return false
		case <-c.senders.unknown.wake:
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

// fundsOf reads funds at the newest known block: that block costs no call.
func (c *Chain) fundsOf(ctx context.Context, addrs []core.Address) ([]protocol.SenderFunds, error) {
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	n, err := c.contracts(ctx)
	if err != nil {
		return nil, err
	}
	block := contracts.Latest
	if v := c.View(); v.Known && !v.Stale {
		block = v.Head.Number
	}
	r := reader{client: c.opt.Client, self: c.opt.Orchestrator}
	return r.funds(ctx, n, block, addrs)
}
