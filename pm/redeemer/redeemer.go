package redeemer

import (
	"context"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// Redeemer is a lifecycle.Component. It is safe for concurrent use.
type Redeemer struct {
	opt Options
	// wake has Run look at the tickets; it holds at most one.
	wake chan struct{}
	// steps are the goroutines that do something for one ticket, or one sender.
	steps       sync.WaitGroup
	pendingSums pendingSums

	mu sync.Mutex // covers the fields below
	// tickets are those that have not ended.
	tickets map[protocol.Hash]*ticket
	senders map[core.Address]*sender
	// validity is for how many rounds a ticket can be redeemed, as of a round; 0 is
	// not known yet.
	validity        protocol.Round
	validityRound   protocol.Round
	readingValidity bool
	// reviewed is the round in which ended tickets were looked through last.
	reviewedRound protocol.Round
	reviewing     bool
	failures      failureStreak
	losses        map[protocol.Hash]lostTicket
	lowFunds      map[core.Address]bool
	watchers      map[*floatWatcher]struct{}
	turn          int
}

// New makes a Redeemer; nothing happens until Run.
func New(o Options) *Redeemer {
	return &Redeemer{
		opt: o.withDefaults(), wake: make(chan struct{}, 1), tickets: make(map[protocol.Hash]*ticket),
		senders: make(map[core.Address]*sender), lowFunds: make(map[core.Address]bool), watchers: make(map[*floatWatcher]struct{}),
		losses: make(map[protocol.Hash]lostTicket), pendingSums: pendingSums{all: make(map[core.Address]core.Wei)},
	}
}

// Name is the component's name.
func (r *Redeemer) Name() string { return "ticket redeemer" }

// unfinished are the states of tickets that are taken up at the start. Those that were
// handed to another process are redeemed here if it did not do so.
var openStates = []pm.TicketState{pm.TicketWon, pm.TicketQueued, pm.TicketSubmitted, pm.TicketMined, pm.TicketHanded}

// handedFor is for how long handed tickets are taken back: older ones can only have been
// paid or lost.
const handedMaxAge = 14 * 24 * time.Hour

// Run takes up what the ledger holds and works until ctx ends. What is on its way
// then goes on without us, and is followed after the next start. Its only failure
// is a ledger that cannot be read.
func (r *Redeemer) Run(ctx context.Context, ready func()) error {
	all, err := r.opt.Ledger.Winners(ctx, ledger.Filter{States: openStates, Recipient: r.opt.Recipient})
	if err != nil {
		return err
	}
	if err := r.loadLosses(ctx); err != nil {
		return err
	}
	r.addStored(all)
	ctx, cancel := context.WithCancel(ctx)
	defer r.steps.Wait()
	defer cancel()
	defer r.opt.Chain.Subscribe(r.onEvent)()
	ready()
	return r.loop(ctx)
}

// adoptAll takes up what the ledger has.
func (r *Redeemer) addStored(all []pm.Winner) {
	back := 0
	for _, w := range all {
		if w.State == pm.TicketHanded {
			if r.opt.Now().Sub(w.Won) > handedMaxAge {
				continue
			}
			w.State = pm.TicketWon
			back++
		}
		r.add(w)
	}
	if back > 0 {
		r.opt.Log.Info("winning tickets that were handed to another process are redeemed here", "tickets", back)
	}
}

func (r *Redeemer) loop(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var last time.Time
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-r.wake:
		case <-timer.C:
		}
		now := r.opt.Now()
		if early := last.Add(r.opt.Pace).Sub(now); early > 0 && !last.IsZero() {
			timer.Reset(early)
			continue
		}
		last = now
		r.pass(ctx, now)
		timer.Reset(r.opt.Poll)
	}
}

func (r *Redeemer) wakeLoop() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// adopt takes a winner in; one that is known stays as it is.
func (r *Redeemer) add(w pm.Winner) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if w.State == "" {
		w.State = pm.TicketWon
	}
	if r.tickets[w.Hash] != nil || w.State.Ended() || w.Ticket.Recipient != r.opt.Recipient {
		return
	}
	r.tickets[w.Hash] = fromWinner(w)
	r.senderLocked(w.Ticket.Sender).dirty = true
	if unpaid(r.tickets[w.Hash]) {
		r.pendingSums.set(w.Ticket.Sender, r.pendingSums.get(w.Ticket.Sender).Add(w.Ticket.FaceValue))
		r.notifyWatchersLocked(w.Ticket.Sender)
	}
	r.wakeLoop()
}

// hear takes the chain's news. It must not block.
func (r *Redeemer) onEvent(e protocol.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e := e.(type) {
	case protocol.Reorganized:
		for _, t := range r.tickets {
			t.look = t.look || t.w.State == pm.TicketMined && t.block >= e.From
		}
	case protocol.SenderSeen:
		if s := r.senders[e.Address]; s != nil {
			s.fundsVersion++
			s.dirty = true
		}
		r.notifyWatchersLocked(e.Address)
	case protocol.RoundSeen, protocol.PoolSeen:
		for _, s := range r.senders {
			s.dirty = true
		}
		r.notifyAllWatchersLocked()
	}
	r.wakeLoop()
}
