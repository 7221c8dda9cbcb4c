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
	pool    poolOrder
	store   store
	// view is never nil; net is nil until the contracts are resolved.
	view atomic.Pointer[protocol.View]
	net  atomic.Pointer[network]
	// chainID is 0 until it is known.
	chainID atomic.Uint64
	// wake wakes the follower; it holds at most one.
	wake chan struct{}

	mu sync.Mutex
	// refreshAt is a block whose effects on the account are to be read; guarded by mu.
	refreshAt protocol.L2Block
	// trusted is guarded by mu.
	trusted trustedContracts
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

// Name returns the component's name.
func (c *Chain) Name() string { return "chain" }

// View returns what is known now; it never blocks.
func (c *Chain) View() protocol.View { return *c.view.Load() }

// Subscribe calls f for every event until stop is called. HeadSeen comes with each block; the changes found
// in logs and readings follow within a polling interval, in the order of their blocks.
func (c *Chain) Subscribe(f func(protocol.Event)) (stop func()) { return c.bus.Subscribe(f) }

// Watch keeps a gateway's funds up to date from now on: SenderSeen reports them once they are read, and when
// they change. Beyond MaxSenders the least recently used gateway is dropped.
func (c *Chain) Watch(addr core.Address) {
	if c.senders.watch(addr) {
		c.wakeFollower()
	}
}

// Watched returns a gateway's funds as last read; false when they were not read, or are not watched.
func (c *Chain) Watched(addr core.Address) (protocol.Sender, bool) {
	funds, known := c.senders.funds(addr)
	return funds.Sender, known
}

// Refresh reads the account's and the orchestrator's records soon, without waiting for logs.
func (c *Chain) Refresh() { c.requestRefresh(1) }

// requestRefresh has the account read as of a block that is known to have changed it.
func (c *Chain) requestRefresh(block protocol.L2Block) {
	c.mu.Lock()
	c.refreshAt = max(c.refreshAt, block)
	c.mu.Unlock()
	c.wakeFollower()
}

// takeRefresh takes the block of requestRefresh; 0 for none.
func (c *Chain) takeRefresh() protocol.L2Block {
	c.mu.Lock()
	defer c.mu.Unlock()
	block := c.refreshAt
	c.refreshAt = 0
	return block
}

func (c *Chain) wakeFollower() {
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
	if err := f.loadCache(ctx); err != nil {
		return err
	}
	ready()
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() { f.serveRankQueries(ctx) })
	wg.Go(func() { c.readUnknownSenders(ctx) })
	wg.Go(func() { f.publishHistory(ctx) })
	return f.follow(ctx)
}
