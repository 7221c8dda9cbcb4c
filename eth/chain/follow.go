package chain

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/protocol"
)

// stepTimeout bounds the reading that one step does, so that no endpoint can hold
// up heads and the clock for longer. Reading the logs has a time of its own, half
// an interval and no less than leastPoll: where it takes longer the reading must
// not wait, because it makes good what the logs do not tell.
const (
	stepTimeout = 20 * time.Second
	leastPoll   = 2 * time.Second
)

// follower is what the goroutine that follows the chain owns.
type follower struct {
	c    *Chain
	read reader
	win  *window
	// head is the newest block that was seen, cur the state that goes with it once
	// known is set.
	head  protocol.Head
	cur   state
	known bool
	// want is what must be read again, resolve whether the contracts too, pending
	// the events that wait for it.
	want    parts
	resolve bool
	pending []occurrence
	// Logs are read up to logsTo, none before floor, and those up to base are only
	// remembered, because the first reading has their effects; what they say is told
	// up to told.
	logsTo, floor, base, told protocol.L2Block
	// wide: the next poll asks for the whole overlap, whatever it costs.
	wide bool
	// blind: something was read without the logs that belong to it.
	blind bool
	// doubted is the layer-1 height of the newest head where it is not believed; 0
	// where it is.
	doubted protocol.L1Block
	// until is the block that expect asked for; hurry polls without waiting.
	until protocol.L2Block
	hurry bool

	clock clock
	// stale: the view is. alarmed: it is a condition too, for which it must have
	// been so for a while: with every start the view is that of the cache for a moment.
	stale, alarmed bool
	// verified: the endpoints named the chain.
	verified bool
	history  history
	rank     rank
}

// clock is when things happened last.
type clock struct {
	head, good, poll, full, saved, retry time.Time
	// misled is when a head's layer-1 height turned out not to be the contracts'.
	misled time.Time
	// noURI is since when the orchestrator has no service URI, answered when an
	// endpoint told its newest block the last time it was asked.
	noURI, answered time.Time
	// outside is since when the orchestrator is seen not to be registered.
	outside time.Time
	// pause is how long to wait after the next failure.
	pause time.Duration
}

func newFollower(c *Chain) *follower {
	now := c.opt.Now()
	return &follower{
		c: c, read: reader{client: c.opt.Client, account: c.opt.Account, self: c.opt.Orchestrator}, win: newWindow(),
		clock: clock{head: now, good: now}, history: newHistory(), rank: newRank(),
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
			f.see(ctx, head)
		case <-f.c.wake:
			f.until = max(f.until, f.c.expected())
			f.catchUp(ctx)
		case <-tick.C:
			f.listen(ctx)
		case events := <-f.history.events:
			f.c.bus.tell(events...)
		case a := <-f.rank.answers:
			f.hear(a)
		}
		if err := f.checkChain(ctx); err != nil {
			return err
		}
		f.work(ctx)
		f.judgeStale()
	}
}

// listen asks for the newest block itself when none came for a while: the endpoint
// client's news may be broken in a way that it cannot see.
func (f *follower) listen(ctx context.Context) {
	if f.c.opt.Now().Sub(f.clock.head) >= 2*f.c.opt.PollInterval {
		f.ask(ctx)
	}
}

// catchUp asks for the newest block when it must be one that is not known yet.
func (f *follower) catchUp(ctx context.Context) {
	if f.head.Number < f.until {
		f.ask(ctx)
	}
	f.meet()
}

// meet has the account read when the block that expect asked for is there.
func (f *follower) meet() {
	if f.until != 0 && f.head.Number >= f.until {
		f.until, f.hurry = 0, true
		f.want |= accountPart | selfPart
	}
}

func (f *follower) ask(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, f.c.opt.PollInterval)
	defer cancel()
	head, err := f.c.opt.Client.Head(ctx)
	if err != nil {
		return
	}
	f.clock.answered = f.c.opt.Now()
	if head.Hash != f.head.Hash {
		f.see(ctx, head)
	}
}

// see takes a new head: no call is made unless the chain went another way.
func (f *follower) see(ctx context.Context, head protocol.Head) {
	f.clock.head = f.c.opt.Now()
	head = f.believe(head)
	if !f.win.add(head) {
		f.reorganize(head, f.fork(ctx, head))
	}
	f.head = head
	f.meet()
	if !f.known {
		return
	}
	old := f.cur
	f.cur = old.reach(head)
	if f.cur.Round.Number != old.Round.Number {
		f.want |= roundPart | selfPart | poolPart | accountPart
	}
	f.publish()
	f.c.bus.tell(append([]protocol.Event{protocol.HeadSeen{Head: head}}, changes(old, f.cur)...)...)
}

// publish shows the state.
func (f *follower) publish() { f.c.view.Store(f.cur.view(f.stale)) }

// work does what is due.
func (f *follower) work(ctx context.Context) {
	now := f.c.opt.Now()
	due := f.hurry || !f.known || f.pollDue(now) || len(f.c.senders.dirty()) > 0
	if !due || f.head.Hash.IsZero() || now.Before(f.clock.retry) {
		return
	}
	if err := f.step(ctx, now); err != nil {
		f.failed(err)
		return
	}
	f.clock.good, f.clock.pause, f.clock.retry = f.c.opt.Now(), 0, time.Time{}
	f.judge()
	if f.rank.cold {
		f.rank.warm(f.head.Number)
	}
	f.save(ctx, false)
}

// failed notes that a step did; the next one waits a little longer each time. What
// was wanted stays wanted.
func (f *follower) failed(err error) {
	f.resolve = f.resolve || speaksOfContracts(err)
	f.clock.pause = min(max(2*f.clock.pause, 250*time.Millisecond), max(f.c.opt.PollInterval, time.Second))
	f.clock.retry = f.c.opt.Now().Add(f.clock.pause)
	f.c.opt.Log.Debug("the chain could not be read", "block", uint64(f.head.Number), "err", err)
}
