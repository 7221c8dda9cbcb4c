package chain

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/protocol"
)

// stepTimeout bounds the reading of one step, so that no endpoint can delay heads and the clock for longer.
// Reading the logs has a time of its own, half an interval and no less than leastPoll: the reading must not
// wait longer, because it corrects what the logs miss.
const (
	stepTimeout = 20 * time.Second
	leastPoll   = 2 * time.Second
)

// follower is the state of the goroutine that follows the chain, which owns it.
type follower struct {
	c    *Chain
	read reader
	win  *window
	// head is the newest block seen, cur the state at it once known is set.
	head  protocol.Head
	cur   state
	known bool
	pendingReads
	logProgress
	// l1 is what the clock says about layer-1 heights.
	l1 heightCheck

	clock clock
	// stale: the view is. alarmed: the condition is set too. It is set later, because after every start the view
	// is the cache's for a moment.
	stale, alarmed bool
	// verified: an endpoint answered the expected chain ID.
	verified bool
	history  history
	rank     rankQueries
}

// pendingReads is what is read next.
type pendingReads struct {
	// toRead is what must be read again, resolve whether the contracts are resolved again, pending the events
	// that wait for the reading.
	toRead  stateParts
	resolve bool
	pending []blockEvent
	// refreshAt is the block that requestRefresh asked for; pollNow polls without waiting.
	refreshAt protocol.L2Block
	pollNow   bool
}

// logProgress is how far logs were read and published.
type logProgress struct {
	// Logs are read up to logsTo, none before floor. Those up to base are only recorded, because the first
	// reading has their effects. Events are published up to publishedTo.
	logsTo, floor, base, publishedTo protocol.L2Block
	// wholeOverlap: the next poll asks for the whole overlap, whatever it costs.
	wholeOverlap bool
	// logsMissed: something was read without the logs that belong to it.
	logsMissed bool
}

// clock holds the times of the last events.
type clock struct {
	head, good, poll, full, saved, retry time.Time
	// misled is when the contracts contradicted a head's layer-1 height.
	misled time.Time
	// noURI is since when the orchestrator has no service URI; answered is when an endpoint last answered its
	// newest block.
	noURI, answered time.Time
	// outside is since when the orchestrator is unregistered.
	outside time.Time
	// pause is the back-off after the next failure.
	pause time.Duration
}

func newFollower(c *Chain) *follower {
	now := c.opt.Now()
	return &follower{
		c: c, read: reader{client: c.opt.Client, account: c.opt.Account, self: c.opt.Orchestrator}, win: newWindow(),
		clock: clock{head: now, good: now}, history: newHistory(), rank: newRank(),
		l1: heightCheck{bound: l1Bound{blockTime: c.opt.Network.L1BlockTime}},
	}
}

// follow runs until ctx ends, or until the chain turns out to be another one.
func (f *follower) follow(ctx context.Context) error {
	heads := f.c.opt.Client.Heads(ctx)
	tick := time.NewTicker(max(f.c.opt.PollInterval/2, 10*time.Millisecond))
	defer tick.Stop()
	defer f.save(context.WithoutCancel(ctx), true)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case head, open := <-heads:
			if !open {
				heads = nil
				continue
			}
			f.onHead(ctx, head)
		case <-f.c.wake:
			f.refreshAt = max(f.refreshAt, f.c.takeRefresh())
			f.catchUp(ctx)
		case <-tick.C:
			f.pollHead(ctx)
		case events := <-f.history.events:
			f.c.bus.publish(events...)
		case a := <-f.rank.results:
			f.receiveRank(a)
		}
		if err := f.checkChain(ctx); err != nil {
			return err
		}
		f.stepIfDue(ctx)
		f.updateStale()
	}
}

// pollHead asks for the newest block itself when none came for a while: the endpoint client's subscription
// may be broken without its noticing.
func (f *follower) pollHead(ctx context.Context) {
	if f.c.opt.Now().Sub(f.clock.head) >= 2*f.c.opt.PollInterval {
		f.fetchHead(ctx)
	}
}

// catchUp asks for the newest block when it must be one that is not known yet.
func (f *follower) catchUp(ctx context.Context) {
	if f.head.Number < f.refreshAt {
		f.fetchHead(ctx)
	}
	f.refreshIfReached()
}

// refreshIfReached has the account read once the block of requestRefresh is there.
func (f *follower) refreshIfReached() {
	if f.refreshAt != 0 && f.head.Number >= f.refreshAt {
		f.refreshAt, f.pollNow = 0, true
		f.toRead |= accountPart | selfPart
	}
}

func (f *follower) fetchHead(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, f.c.opt.PollInterval)
	defer cancel()
	head, err := f.c.opt.Client.Head(ctx)
	if err != nil {
		return
	}
	f.clock.answered = f.c.opt.Now()
	if head.Hash != f.head.Hash {
		f.onHead(ctx, head)
	}
}

// onHead takes a new head: no call is made unless the chain branched.
func (f *follower) onHead(ctx context.Context, head protocol.Head) {
	f.clock.head = f.c.opt.Now()
	head = f.checkHeight(head)
	if !f.win.add(head) {
		f.reorganize(head, f.fork(ctx, head))
	}
	f.head = head
	f.refreshIfReached()
	if !f.known {
		return
	}
	old := f.cur
	f.cur = old.atHead(head)
	if f.cur.Round.Number != old.Round.Number {
		f.toRead |= roundPart | selfPart | poolPart | accountPart
	}
	f.publish()
	f.c.bus.publish(append([]protocol.Event{protocol.HeadSeen{Head: head}}, changes(old, f.cur)...)...)
}

// publish stores the state as the view.
func (f *follower) publish() { f.c.view.Store(f.cur.view(f.stale)) }

// stepIfDue runs a step when one is due.
func (f *follower) stepIfDue(ctx context.Context) {
	now := f.c.opt.Now()
	due := f.pollNow || !f.known || f.pollDue(now) || len(f.c.senders.dirty()) > 0
	if !due || f.head.Hash.IsZero() || now.Before(f.clock.retry) {
		return
	}
	if err := f.step(ctx, now); err != nil {
		f.stepFailed(err)
		return
	}
	f.clock.good, f.clock.pause, f.clock.retry = f.c.opt.Now(), 0, time.Time{}
	f.updateConditions()
	if f.rank.orderUnknown {
		f.rank.preloadOrder(f.head.Number)
	}
	f.save(ctx, false)
}

// stepFailed backs off after a failed step. What was to be read stays so.
func (f *follower) stepFailed(err error) {
	f.resolve = f.resolve || mayBeContractChange(err)
	f.clock.pause = min(max(2*f.clock.pause, 250*time.Millisecond), max(f.c.opt.PollInterval, time.Second))
	f.clock.retry = f.c.opt.Now().Add(f.clock.pause)
	f.c.opt.Log.Debug("reading the chain failed", "block", uint64(f.head.Number), "err", err)
}
