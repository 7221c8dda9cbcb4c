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
	steps sync.WaitGroup
	sums  sums

	mu sync.Mutex // covers the fields below
	// tickets are those that have not ended.
	tickets map[protocol.Hash]*ticket
	senders map[core.Address]*sender
	// validity is for how many rounds a ticket can be redeemed, as of a round; 0 is
	// not known yet.
	validity   protocol.Round
	validAt    protocol.Round
	validating bool
	// reviewed is the round in which ended tickets were looked through last.
	reviewed  protocol.Round
	reviewing bool
	trouble   trouble
	lost      map[protocol.Hash]loss
	alarmed   map[core.Address]bool
	watchers  map[*watcher]struct{}
	turn      int
}

// ticket is a winner on its way. Who set busy owns it, but for what is said to be
// guarded by mu.
type ticket struct {
	w pm.Winner // guarded by mu to write, and to read by others
	// busy: a step works on it; guarded by mu, as next, look and promised.
	busy bool
	// next is when it is looked at again; sooner when gas is cheaper than worthAt, or
	// when the sender's funds changed since news.
	next    time.Time
	soon    time.Time
	worthAt core.Wei
	news    uint64
	// look has it looked at now, after a reorganisation.
	look bool
	// ending: its last round was when it was looked at last; guarded by mu.
	ending bool
	// promised is what it is thought to bring while it is being sent, and until the
	// sender's funds were read after that.
	promised core.Wei
	// fails counts attempts that failed in a row; undone those that cost gas, or may
	// have, which being sent again does not make up for.
	fails, undone int
	// looked: a step was begun while it could be redeemed.
	looked bool
	// waits says why it was not sent, with its code first.
	waits string
	// tx is the number of its transaction, 0 when it is not known or another's; after
	// is the last one that failed. In the books a queued ticket has that.
	tx    uint64
	after protocol.TxHash
	// block is where it was mined, seen since when it was seen there.
	block protocol.L2Block
	seen  time.Time
	// capped: the price of gas was above the operator's bound when it was weighed.
	capped bool
	// single: a batch with it was refused.
	single bool
	// unripe: its parameters had not expired when it was looked at last; guarded by mu.
	unripe bool
	// thrifty: it is sent with what the account can pay for, as it will be lost.
	thrifty bool
	// spent is gas that earlier attempts cost.
	spent core.Wei
}

// sender is what is known of one gateway.
type sender struct {
	funds protocol.SenderFunds
	known bool
	// dirty: the funds are to be read; reading: they are being read.
	dirty, reading bool
	// deciding: a step decides about some of its tickets; one step at a time, so that the
	// most urgent come first.
	deciding bool
	// news counts the changes of the funds.
	news uint64
	// paid is what they paid here since we know it; with that, had is what there was
	// for us when last nothing was on its way, and fell that it had become less.
	paid, had core.Wei
	fell      bool
	next      time.Time
}

// New makes a Redeemer; nothing happens until Run.
func New(o Options) *Redeemer {
	return &Redeemer{
		opt: o.withDefaults(), wake: make(chan struct{}, 1), tickets: make(map[protocol.Hash]*ticket),
		senders: make(map[core.Address]*sender), alarmed: make(map[core.Address]bool), watchers: make(map[*watcher]struct{}),
		lost: make(map[protocol.Hash]loss), sums: sums{all: make(map[core.Address]core.Wei)},
	}
}

// Name is the component's name.
func (r *Redeemer) Name() string { return "ticket redeemer" }

// unfinished are the states of tickets that are taken up at the start. Those that were
// handed to another process are redeemed here if it did not do so.
var unfinished = []pm.TicketState{pm.TicketWon, pm.TicketQueued, pm.TicketSubmitted, pm.TicketMined, pm.TicketHanded}

// handedFor is for how long handed tickets are taken back: older ones can only have been
// paid or lost.
const handedFor = 14 * 24 * time.Hour

// Run takes up what the ledger holds and works until ctx ends. What is on its way
// then goes on without us, and is followed after the next start. Its only failure
// is a ledger that cannot be read.
func (r *Redeemer) Run(ctx context.Context, ready func()) error {
	all, err := r.opt.Ledger.Winners(ctx, ledger.Filter{States: unfinished, Recipient: r.opt.Recipient})
	if err != nil {
		return err
	}
	if err := r.recallLosses(ctx); err != nil {
		return err
	}
	r.adoptAll(all)
	ctx, cancel := context.WithCancel(ctx)
	defer r.steps.Wait()
	defer cancel()
	defer r.opt.Chain.Subscribe(r.hear)()
	ready()
	return r.loop(ctx)
}

// adoptAll takes up what the ledger has.
func (r *Redeemer) adoptAll(all []pm.Winner) {
	back := 0
	for _, w := range all {
		if w.State == pm.TicketHanded {
			if r.opt.Now().Sub(w.Won) > handedFor {
				continue
			}
			w.State = pm.TicketWon
			back++
		}
		r.adopt(w)
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

func (r *Redeemer) stir() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// adopt takes a winner in; one that is known stays as it is.
func (r *Redeemer) adopt(w pm.Winner) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if w.State == "" {
		w.State = pm.TicketWon
	}
	if r.tickets[w.Hash] != nil || w.State.Ended() || w.Ticket.Recipient != r.opt.Recipient {
		return
	}
	r.tickets[w.Hash] = resume(w)
	r.sender(w.Ticket.Sender).dirty = true
	if pending(r.tickets[w.Hash]) {
		r.sums.set(w.Ticket.Sender, r.sums.get(w.Ticket.Sender).Add(w.Ticket.FaceValue))
		r.nudge(w.Ticket.Sender)
	}
	r.stir()
}

// resume is a ticket as the books have it. What it may take of its sender's funds is
// set aside until the chain has told: nobody else is sent for the same money.
func resume(w pm.Winner) *ticket {
	t := &ticket{w: w, waits: w.Reason, undone: w.Attempts}
	switch w.State {
	case pm.TicketMined:
		t.promised = w.Paid
		return t
	case pm.TicketQueued:
		t.after = w.Tx
	case pm.TicketSubmitted:
		t.promised, t.undone = w.Ticket.FaceValue, max(w.Attempts-1, 0)
	}
	t.spent = w.GasFee
	return t
}

// sender is a gateway's record, made if need be. The caller holds mu.
func (r *Redeemer) sender(who core.Address) *sender {
	s := r.senders[who]
	if s == nil {
		s = &sender{}
		r.senders[who] = s
	}
	return s
}

// hear takes the chain's news. It must not block.
func (r *Redeemer) hear(e protocol.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e := e.(type) {
	case protocol.Reorganized:
		for _, t := range r.tickets {
			t.look = t.look || t.w.State == pm.TicketMined && t.block >= e.From
		}
	case protocol.SenderSeen:
		if s := r.senders[e.Address]; s != nil {
			s.news++
			s.dirty = true
		}
		r.nudge(e.Address)
	case protocol.RoundSeen, protocol.PoolSeen:
		for _, s := range r.senders {
			s.dirty = true
		}
		r.nudgeAll()
	}
	r.stir()
}
