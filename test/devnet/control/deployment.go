package control

import (
	"context"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/tuttinode/tutti/core"
)

// Round returns the protocol's clock.
func (c *Client) Round(ctx context.Context) (Round, error) { return ask[Round](ctx, c, "round") }

// NextRound moves the L1 clock to the beginning of the next round, and initializes
// the round or leaves that to others.
func (c *Client) NextRound(ctx context.Context, initialize bool) (Round, error) {
	return ask[Round](ctx, c, "nextRound", initialize)
}

// SetRoundLength sets how many L1 blocks a round has, the current one included.
func (c *Client) SetRoundLength(ctx context.Context, blocks uint64) error {
	return c.Call(ctx, nil, "devnet_setRoundLength", blocks)
}

// Fund pays ether to an account.
func (c *Client) Fund(ctx context.Context, to common.Address, amount core.Wei) error {
	return c.Call(ctx, nil, "devnet_fund", to, amount)
}

// FundLPT gives stake tokens to an account.
func (c *Client) FundLPT(ctx context.Context, to common.Address, amount core.LPT) error {
	return c.Call(ctx, nil, "devnet_fundLPT", to, amount)
}

// Populate adds orchestrators with delegators, bonded and registered. They are
// active from the next round on.
func (c *Client) Populate(ctx context.Context, p Population) error {
	return c.Call(ctx, nil, "devnet_populate", p)
}

// Pause pauses the protocol.
func (c *Client) Pause(ctx context.Context) error { return c.Call(ctx, nil, "devnet_pause") }

// Unpause ends the pause.
func (c *Client) Unpause(ctx context.Context) error { return c.Call(ctx, nil, "devnet_unpause") }

// SetPoolMaxSize sets how many orchestrators can be active.
func (c *Client) SetPoolMaxSize(ctx context.Context, size uint64) error {
	return c.Call(ctx, nil, "devnet_setPoolMaxSize", size)
}

// SetPrice sets the answer of the price feed: US dollars for one ether, times 1e8.
func (c *Client) SetPrice(ctx context.Context, answer *big.Int) error {
	return c.Call(ctx, nil, "devnet_setPrice", answer)
}
