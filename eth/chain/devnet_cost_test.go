package chain_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/chain"
	"github.com/tuttinode/tutti/eth/endpoint"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// Blocks cost no call but the one for logs in each interval, however many blocks
// there are, and however many orchestrators act in them.
func TestCostOfBlocks(t *testing.T) {
	t.Parallel()
	const interval = 400 * time.Millisecond
	// A fast machine mines a thousand blocks here, and a new round costs calls.
	c := devnet.Start(t, devnet.Options{RoundLength: 20_000})
	orchestrators := uint64(300)
	if testing.Short() {
		orchestrators = 10
	}
	populate(t, c, orchestrators, core.LPTTokens(100), core.LPTTokens(1))
	round(t, c)
	n := start(t, c, c.Key(1), nil, func(o *chain.Options, p *endpoint.Options) {
		o.PollInterval, o.FullRead, p.PollInterval = interval, time.Hour, 50*time.Millisecond
		p.Endpoints = []endpoint.Endpoint{{URL: core.NewSecret(c.WebsocketURL(0))}}
	})
	eventually(t, "a view", func() bool { return n.View().Known && !n.View().Stale })
	pool, err := n.Pool(t.Context())
	if err != nil || len(pool) != int(min(orchestrators, 100)) || n.View().PoolSize != len(pool) {
		t.Fatalf("%d members, the view says %d, %v", len(pool), n.View().PoolSize, err)
	}

	before, began, heads := n.pool.Calls(), time.Now(), count[protocol.HeadSeen](n, nil)
	first := n.View().Head.Number
	var last protocol.L2Block
	// On a busy machine an interval is longer than it should be.
	asked := func() uint64 { return n.pool.Calls()["eth_getLogs"] - before["eth_getLogs"] }
	for time.Since(began) < 5*interval || asked() < 3 && time.Since(began) < 100*interval {
		last = c.Mine(3)
	}
	eventually(t, "the last block", func() bool { return n.View().Head.Number == last })
	after, took := n.pool.Calls(), time.Since(began)
	blocks := uint64(last - first)
	if blocks < 200 {
		t.Fatalf("only %d blocks", blocks)
	}
	intervals := uint64(took/(interval*9/10)) + 2
	if logs := after["eth_getLogs"] - before["eth_getLogs"]; logs > intervals || logs < 3 {
		t.Errorf("%d log requests in %d intervals", logs, intervals)
	}
	// The node may read its own state once in this time, on a fast machine among thousands of blocks.
	ownRead := map[string]uint64{"eth_call": 24, "eth_getBalance": 1}
	for method, once := range ownRead {
		if more := after[method] - before[method]; more > once {
			t.Errorf("%d blocks cost %d of %s", blocks, more, method)
		}
	}
	// What others do is at most the pool's size to be read again, for all of it.
	before, began = after, time.Now()
	others := control.Population{First: 5000, Orchestrators: 30, Base: core.LPTTokens(1000), Step: core.LPTTokens(1)}
	if err := c.Control.Populate(t.Context(), others); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the pool's size to be read", func() bool { return n.pool.Calls()["eth_call"] > before["eth_call"] })
	polls := n.pool.Calls()["eth_getLogs"]
	eventually(t, "the end of it", func() bool { return n.pool.Calls()["eth_getLogs"] > polls+1 })
	after, intervals = n.pool.Calls(), uint64(time.Since(began)/(interval*9/10))+2
	if more := after["eth_call"] - before["eth_call"]; more > 2*intervals+ownRead["eth_call"] {
		t.Errorf("30 strangers cost %d calls in %d intervals", more, intervals)
	}
	t.Logf("%d blocks in %v, published as %d heads: %v, before %v", blocks, took, count[protocol.HeadSeen](n, nil)-heads,
		after, before)
}
