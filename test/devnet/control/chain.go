package control

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// Info returns the chain's addresses, keys and contracts.
func (c *Client) Info(ctx context.Context) (Info, error) { return ask[Info](ctx, c, "info") }

// AdvanceL1 moves the L1 clock on by n blocks at once, in one L2 block.
func (c *Client) AdvanceL1(ctx context.Context, n uint64) (protocol.L1Block, error) {
	return ask[protocol.L1Block](ctx, c, "advanceL1", n)
}

// SetL1BlockTime sets how often the L1 clock advances by itself; 0 is never.
func (c *Client) SetL1BlockTime(ctx context.Context, every time.Duration) error {
	return c.Call(ctx, nil, "devnet_setL1BlockTime", Duration(every))
}

// SetL2BlockTime sets how often a block is made without need; 0 is never.
func (c *Client) SetL2BlockTime(ctx context.Context, every time.Duration) error {
	return c.Call(ctx, nil, "devnet_setL2BlockTime", Duration(every))
}

// SetAutomine mines transactions as they arrive, or leaves them in the pool until
// the next block that Mine or the block time makes.
func (c *Client) SetAutomine(ctx context.Context, on bool) error {
	return c.Call(ctx, nil, "devnet_setAutomine", on)
}

// Mine makes n blocks and returns the newest.
func (c *Client) Mine(ctx context.Context, n uint64) (protocol.L2Block, error) {
	return ask[protocol.L2Block](ctx, c, "mine", n)
}

// Reorg replaces the last blocks by a fork and returns its newest.
func (c *Client) Reorg(ctx context.Context, r Reorg) (protocol.L2Block, error) {
	return ask[protocol.L2Block](ctx, c, "reorg", r)
}

// SetBaseFee sets the base fee of the next blocks. Transactions that offer less
// are refused.
func (c *Client) SetBaseFee(ctx context.Context, fee core.Wei) error {
	return c.Call(ctx, nil, "devnet_setBaseFee", fee)
}

// SpikeBaseFee sets the base fee of so many blocks.
func (c *Client) SpikeBaseFee(ctx context.Context, fee core.Wei, blocks uint64) error {
	return c.Call(ctx, nil, "devnet_spikeBaseFee", fee, blocks)
}

// DropNext loses the next n transactions that are sent: their hashes are answered
// and they are never mined. 0 ends it.
func (c *Client) DropNext(ctx context.Context, n uint64) error {
	return c.Call(ctx, nil, "devnet_dropNext", n)
}

// SetFaults replaces the faults of an endpoint, counted from 0. None takes them
// away.
func (c *Client) SetFaults(ctx context.Context, endpoint int, faults ...Fault) error {
	params := []any{endpoint}
	for _, f := range faults {
		params = append(params, f)
	}
	return c.Call(ctx, nil, "devnet_misbehave", params...)
}

// Stats returns an endpoint's counters.
func (c *Client) Stats(ctx context.Context, endpoint int) (Stats, error) {
	return ask[Stats](ctx, c, "stats", endpoint)
}
