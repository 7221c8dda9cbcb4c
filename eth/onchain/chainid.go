package onchain

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// askTimeout is how long a network that is in no table may take to say what it is.
const askTimeout = 30 * time.Second

// ChainID asks the endpoints for the number of a chain that nobody knows by its
// name. Nothing can be signed or remembered without it, so silence is the fault
// ChainUnavailable.
func ChainID(ctx context.Context, opt Options) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	opt.Network.ChainID = 0
	pool, err := newEndpoints(opt)
	if err != nil {
		return 0, err
	}
	ended := make(chan struct{})
	running, stop := context.WithCancel(ctx)
	go func() {
		defer close(ended)
		_ = pool.Run(running, func() {})
	}()
	defer func() { stop(); <-ended; pool.Close() }()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if id := pool.ChainID(); id != 0 {
			return id, nil
		}
		select {
		case <-ctx.Done():
			return 0, fault.New(fault.ChainUnavailable, "ask the network for its chain ID", "no endpoint answered")
		case <-tick.C:
		}
	}
}
