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
	// wake makes Run start a pass; it has capacity 1.
	wake chan struct{}
	// steps are the goroutines that work for one ticket or one sender.
	steps       sync.WaitGroup
	pendingSums pendingSums

	mu sync.Mutex // guards the fields below
	// tickets are the winners that have not ended.
	tickets  map[protocol.Hash]*ticket
	senders  map[core.Address]*sender
	validity validity
	// reviewedRound is the round in which ended tickets were reviewed last.
	reviewedRound protocol.Round
	reviewing     bool
	failures      failureStreak
	losses        map[protocol.Hash]lostTicket
	lowFunds      map[core.Address]bool
	watchers      map[*floatWatcher]struct{}
	turn          int
}

// New makes a Redeemer. It does nothing until Run.
func New(o Options) *Redeemer {
	return &Redeemer{
		opt: o.withDefaults(), wake: make(chan struct{}, 1), tickets: make(map[protocol.Hash]*ticket),
		senders: make(map[core.Address]*sender), lowFunds: make(map[core.Address]bool),
		watchers: make(map[*floatWatcher]struct{}),
		losses:   make(map[protocol.Hash]lostTicket), pendingSums: pendingSums{all: make(map[core.Address]pm.Unpaid)},
	}
}

// Name returns the component's name.
func (r *Redeemer) Name() string { return "ticket redeemer" }

// openStates are the states of tickets that are loaded at the start. Handed tickets are
// redeemed here if the other process did not do so.
func openStates() []pm.TicketState {
	return []pm.TicketState{pm.TicketWon, pm.TicketQueued, pm.TicketSubmitted, pm.TicketMined, pm.TicketHanded}
}

// handedMaxAge bounds the age of handed tickets that are loaded: older ones were paid or have
// expired.
const handedMaxAge = 14 * 24 * time.Hour

// Run loads what the ledger holds and works until ctx ends. Pending transactions go on without
// it and are followed after the next start. Its only failure is a ledger that cannot be read.
func (r *Redeemer) Run(ctx context.Context, ready func()) error {
	all, err := r.opt.Ledger.Winners(ctx, ledger.Filter{States: openStates(), Recipient: r.opt.Recipient})
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

// addStored adds the ledger's winners.
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

// add adds a winner. A known one stays as it is.
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
	r.senderLocked(w.Ticket.Sender).read.request()
	if unpaid(r.tickets[w.Hash]) {
		r.pendingSums.set(w.Ticket.Sender, r.pendingSums.get(w.Ticket.Sender).Add(w.Ticket.FaceValue))
		r.notifyWatchersLocked(w.Ticket.Sender)
	}
	r.wakeLoop()
}

// onEvent handles an event of the chain. It must not block.
func (r *Redeemer) onEvent(e protocol.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e := e.(type) {
	case protocol.Reorganized:
		for _, t := range r.tickets {
			if t.w.State == pm.TicketMined && t.block >= e.From {
				t.work.request()
			}
		}
	case protocol.SenderSeen:
		if s := r.senders[e.Address]; s != nil {
			s.fundsVersion++
			s.read.request()
		}
		r.notifyWatchersLocked(e.Address)
	case protocol.RoundSeen, protocol.PoolSeen:
		for _, s := range r.senders {
			s.read.request()
		}
		r.notifyAllWatchersLocked()
	}
	r.wakeLoop()
}
