package chain

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// Chain is the protocol seen through a chain's endpoints: a lifecycle.Component
// and all ports of package protocol. It is safe for concurrent use.
type Chain struct {
	opt     Options
	bus     bus
	senders senders
	pool    pool
	store   store
	// view is never nil; net is nil until the contracts are resolved.
	view atomic.Pointer[protocol.View]
	net  atomic.Pointer[network]
	// chainID is 0 until it is known.
	chainID atomic.Uint64
	// wake has the follower look at what is wanted; it holds at most one.
	wake chan struct{}

	mu sync.Mutex
	// reach is a block whose effects on the account are to be read; guarded by mu.
	reach protocol.L2Block
	// trusted is guarded by mu.
	trusted trusted
}

// New makes a Chain; nothing happens until Run.
func New(o Options) *Chain {
	o = o.withDefaults()
	c := &Chain{
		opt: o, wake: make(chan struct{}, 1), store: store{db: o.Cache},
		senders: newSenders(o.MaxSenders),
	}
	if o.Network.Pinned.Controller == o.Controller {
		c.trusted.at = o.Network.Pinned
	}
	c.view.Store(&protocol.View{})
	return c
}

// Name is the component's name.
func (c *Chain) Name() string { return "chain" }

// View is what is known now; it never blocks.
func (c *Chain) View() protocol.View { return *c.view.Load() }

// Subscribe calls f for every event until stop is called. HeadSeen comes as blocks
// do; what logs and readings tell of follows within a polling interval, in the
// order of its own blocks.
func (c *Chain) Subscribe(f func(protocol.Event)) (stop func()) { return c.bus.Subscribe(f) }

// Watch keeps a gateway's funds in sight from now on: SenderSeen tells of them
// once they are read, and when they change. Beyond MaxSenders the one that nobody
// asked about for longest is forgotten.
func (c *Chain) Watch(who core.Address) {
	if c.senders.watch(who) {
		c.stir()
	}
}

// Watched are a gateway's funds as they were read last; false when they were not,
// or when nobody watches.
func (c *Chain) Watched(who core.Address) (protocol.Sender, bool) {
	funds, known := c.senders.funds(who)
	return funds.Sender, known
}

// Refresh has the account's and the orchestrator's records read soon, without
// waiting for logs.
func (c *Chain) Refresh() { c.expect(1) }

// expect has the account read as of a block that is known to have changed it.
func (c *Chain) expect(block protocol.L2Block) {
	c.mu.Lock()
	c.reach = max(c.reach, block)
	c.mu.Unlock()
	c.stir()
}

// expected takes what expect asked for; 0 for nothing.
func (c *Chain) expected() protocol.L2Block {
	c.mu.Lock()
	defer c.mu.Unlock()
	block := c.reach
	c.reach = 0
	return block
}

func (c *Chain) stir() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Run follows the chain until ctx ends. It is ready at once, with the view of the
// cache or with none; the only failure is the fault ChainIDChanged: the data
// directory belongs to another chain.
func (c *Chain) Run(ctx context.Context, ready func()) error {
	f := newFollower(c)
	if err := f.remember(ctx); err != nil {
		return err
	}
	ready()
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() { f.rankAll(ctx) })
	wg.Go(func() { c.readNewcomers(ctx) })
	wg.Go(func() { f.tellHistory(ctx) })
	return f.follow(ctx)
}
