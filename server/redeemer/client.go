package redeemer

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/server/rpc"
)

// Client is a lifecycle.Component. It is safe for concurrent use.
type Client struct {
	opt ClientOptions
	// wake makes Run check what is due; it has capacity 1.
	wake chan struct{}
	// parts are the calls and streams that Run started.
	parts sync.WaitGroup

	mu sync.Mutex // covers the fields below
	// tickets wait to be handed in, has counts them by gateway. Of gateways in overflowed the
	// ledger has more tickets that exceeded a limit here.
	tickets    map[protocol.Hash]*ticket
	has        map[core.Address]int
	overflowed map[core.Address]bool
	// busy are the calls in progress, busyOf those by gateway.
	busy    int
	busyOf  map[core.Address]int
	senders map[core.Address]*watched
	away    outage
	// untrusted is why the certificate of the last handshake was refused, "" if it was
	// accepted.
	untrusted string

	// reviewed is the round in which ended tickets were reviewed last, readFailed: the ledger could not be read. Only Run
	// touches them.
	reviewed   protocol.Round
	readFailed bool
}

// NewClient makes a Client. It does nothing until Run.
func NewClient(o ClientOptions) (*Client, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	return &Client{
		opt: o, wake: make(chan struct{}, 1), tickets: make(map[protocol.Hash]*ticket),
		senders: make(map[core.Address]*watched),
		has:     make(map[core.Address]int), busyOf: make(map[core.Address]int), overflowed: make(map[core.Address]bool),
	}, nil
}

// Name returns the component's name.
func (*Client) Name() string { return "redeemer client" }

// Run loads what the ledger holds and works until ctx ends. Its only failure is a ledger that
// cannot be read at the start.
func (c *Client) Run(ctx context.Context, ready func()) error {
	conn, err := c.dial()
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := c.load(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer c.parts.Wait()
	defer cancel()
	ready()
	return c.loop(ctx, rpc.NewTicketRedeemerClient(conn))
}

// lookMost is the longest time between two passes.
const lookMost = 5 * time.Second

func (c *Client) loop(ctx context.Context, api rpc.TicketRedeemerClient) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.wake:
		case <-timer.C:
		}
		c.read(ctx)
		timer.Reset(c.pass(ctx, api))
	}
}

// readTime bounds the reads of one pass.
const readTime = 20 * time.Second

// read reads what the ledger has and this process does not. What cannot be read is read again at the next pass: a
// database elsewhere comes and goes.
func (c *Client) read(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	err := c.review(ctx)
	if err == nil && (c.readFailed || c.hasCapacity()) {
		err = c.load(ctx)
	}
	if c.readFailed = err != nil; !errors.Is(err, context.Canceled) {
		c.opt.Board.Report(health.Key{Code: fault.LedgerFailed, About: "handing tickets over"}, err)
	}
}

// pass starts what is due and returns the time of the next pass.
func (c *Client) pass(ctx context.Context, api rpc.TicketRedeemerClient) time.Duration {
	now := c.opt.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	next := c.handDueLocked(ctx, api, now)
	c.watchAllLocked(ctx, api, now)
	if !c.away.since.IsZero() && !c.away.lasts(now, c.opt.AlertAfter) {
		next = min(next, c.away.since.Add(c.opt.AlertAfter).Sub(now))
	}
	c.updateConditionsLocked(now)
	return min(max(next, 0), lookMost)
}

func (c *Client) wakeLoop() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}
