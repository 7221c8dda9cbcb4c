package chain

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
	"github.com/tuttinode/tutti/eth/endpoint"
)

// hung is a world in which some questions are never answered.
type hung struct {
	*world
	logs, headers, reads bool // guarded by world.mu
}

func (h *hung) hangs(which *bool, on bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	*which = on
}

// waits does until ctx ends, when the question is one of those.
func (h *hung) waits(ctx context.Context, which *bool) error {
	h.mu.Lock()
	on := *which
	h.mu.Unlock()
	if on {
		<-ctx.Done()
	}
	return ctx.Err()
}

func (h *hung) Logs(ctx context.Context, from, to protocol.L2Block, f endpoint.LogFilter) ([]types.Log,
	protocol.L2Block, error) {
	if err := h.waits(ctx, &h.logs); err != nil {
		return nil, from, err
	}
	return h.world.Logs(ctx, from, to, f)
}

func (h *hung) HeaderByNumber(ctx context.Context, n protocol.L2Block) (protocol.Head, error) {
	if err := h.waits(ctx, &h.headers); err != nil {
		return protocol.Head{}, err
	}
	return h.world.HeaderByNumber(ctx, n)
}

func (h *hung) Quorum() contracts.Batcher   { return h }
func (h *hung) Majority() contracts.Batcher { return h }

func (h *hung) CallBatch(
	ctx context.Context, at protocol.L2Block, calls []ethereum.CallMsg,
) ([]contracts.Result, error) {
	if err := h.waits(ctx, &h.reads); err != nil {
		return nil, err
	}
	return h.world.CallBatch(ctx, at, calls)
}

// follow runs a chain on a client for as long as f takes.
func (w *world) follow(client Client, f func(*Chain), with ...func(*Options)) {
	o := Options{
		Client: client, Network: contracts.Network{ChainID: 7, Controller: w.at.Controller}, Account: w.me,
		PollInterval: 5 * time.Second, FullRead: 5 * time.Minute,
	}
	for _, set := range with {
		set(&o)
	}
	c := New(o)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = c.Run(ctx, func() {})
	}()
	f(c)
	cancel()
	<-done
}

// Logs that never come hold nothing up: all is read instead, in time.
func TestHungLogs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(addressOf(1))
		h := &hung{world: w}
		w.follow(h, func(c *Chain) {
			pass(10 * time.Second)
			h.hangs(&h.logs, true)
			w.mine(0, w.bond(7))
			w.mine(0, w.join)
			for i := range 60 {
				w.mine(0, nil)
				pass(time.Second)
				v := c.View()
				if v.Stale {
					t.Errorf("stale after %d s", i+1)
				}
				if i == 9 && (v.PoolSize != 1 || v.Self.DelegatedStake.Cmp(core.NewLPT(7)) != 0) {
					t.Errorf("after 10 s: %+v", v)
				}
			}
		})
	})
}
