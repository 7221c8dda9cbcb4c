package chain

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

// far is a world whose every batch takes a while.
type far struct{ *world }

func (d far) Quorum() contracts.Batcher   { return d }
func (d far) Majority() contracts.Batcher { return d }

func (d far) CallBatch(ctx context.Context, at protocol.L2Block, calls []ethereum.CallMsg) ([]contracts.Result, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(500 * time.Millisecond):
		return d.world.CallBatch(ctx, at, calls)
	}
}

// A pool that takes longer to walk than one attempt may is learned all the same.
func TestSlowWalkGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(addressOf(1))
		w.members = 100
		w.follow(far{w}, func(c *Chain) {
			w.live(90)
			if got := len(c.pool.members()); got != 100 {
				t.Errorf("%d of 100 members are known", got)
			}
		})
	})
}
