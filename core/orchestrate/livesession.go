package orchestrate

import (
	"context"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// DefaultLiveInterval is how often live work is charged where no option says otherwise.
const DefaultLiveInterval = 5 * time.Second

// paidAhead bounds what a payer must have paid when a session begins: payers of the network pay
// ten seconds first.
const paidAhead = 10 * time.Second

// lateShare is the part of a session that may be served before it is paid.
const lateShare = 10

// LiveSession is live work in progress that is charged by time. End must be called.
type LiveSession struct {
	o     *Orchestrator
	id    core.SessionID
	quote pm.Quote
	unit  LiveUnit
	tab   pm.Tab
	// shared: other work in progress is charged from the account, too, and its payer gets the balance. A second is
	// charged as soon as it has begun, and what the account does not hold is owed.
	shared bool
	// begun is the monotonic time of its begin.
	begun time.Duration

	mu sync.Mutex
	// charged are the units billed, ended says that no more are. Guarded by mu.
	charged int64
	ended   bool
}

// BeginLive takes the payment of live work and begins to charge for it, from the account of a
// manifest, which is the session's id too. A fixed price is charged at once; of others the time up
// to the first charge must be paid. The error is a *fault.Fault; tickets that were taken are
// credited all the same.
func (o *Orchestrator) BeginLive(ctx context.Context, p *LivePayment, work LiveWork, manifest core.ManifestID) (
	*LiveSession, error) {
	const op = "begin live work"
	if o.opt.Live == nil {
		return nil, fault.New(fault.Unexpected, op, "this node takes no payments")
	}
	if p.req.PaymentErr != nil {
		return nil, p.req.PaymentErr
	}
	if _, ok := p.Quoted(&work); !ok {
		return nil, pm.WrongPrice("the price was quoted for other work")
	}
	s := &LiveSession{o: o, id: core.SessionID(manifest), quote: p.quote, unit: work.Unit}
	if err := o.addLive(s); err != nil {
		return nil, err
	}
	job := p.job(manifest)
	job.Live, job.Estimate = work.App, o.firstUnits(work.Unit)
	tab, err := o.opt.Live.OpenTab(ctx, job)
	if err != nil {
		o.removeLive(s)
		return nil, err
	}
	s.tab, s.begun = tab, o.opt.Elapsed()
	if work.Unit == LiveFixed && s.tab.Charge(1) < 1 {
		s.End()
		return nil, fault.New(fault.InsufficientBalance, op, "")
	}
	return s, nil
}

// firstUnits are those that must be paid before a session begins.
func (o *Orchestrator) firstUnits(unit LiveUnit) int64 {
	if unit == LiveFixed {
		return 1
	}
	return max(1, unit.units(min(o.opt.LiveInterval, paidAhead)))
}

func (o *Orchestrator) addLive(s *LiveSession) error {
	const op = "begin live work"
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.phase != open:
		return fault.New(fault.Draining, op, "the node is stopping")
	case o.live[s.id] != nil:
		return fault.New(fault.LiveSessionExists, op, "")
	}
	o.live[s.id] = s
	return nil
}

func (o *Orchestrator) removeLive(s *LiveSession) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.live, s.id)
}

// End bills what is due, and releases the account. A session costs a second at least, so that many
// short ones are not free. Up to an interval that a shared account does not hold is owed: work that begins at the same
// time would all be paid by the same money. End is idempotent.
func (s *LiveSession) End() {
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return
	}
	s.settleLocked(max(s.dueLocked(), s.unit.perSecond()-s.charged))
	s.ended = true
	s.mu.Unlock()
	s.tab.Close()
	s.o.removeLive(s)
}

// settleLocked bills what is due; of a shared account, up to an interval that it does not hold, too.
func (s *LiveSession) settleLocked(due int64) {
	before := s.charged
	if s.chargeLocked(due) != nil && s.shared {
		owed := min(due-(s.charged-before), s.intervalUnits())
		s.tab.Settle(owed)
		s.charged += owed
	}
}

// Drop releases the account of a session for which nothing was done: it costs nothing. It stands for End.
func (s *LiveSession) Drop() {
	s.mu.Lock()
	was := s.ended
	s.ended = true
	s.mu.Unlock()
	if !was {
		s.tab.Close()
		s.o.removeLive(s)
	}
}

// Fixed reports whether the session has one price for any length.
func (s *LiveSession) Fixed() bool { return s.unit == LiveFixed }

// Price returns what a unit costs.
func (s *LiveSession) Price() pm.Price { return s.quote.Price }

// Charged returns the units billed so far.
func (s *LiveSession) Charged() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.charged
}

// Payer returns the account that pays.
func (s *LiveSession) Payer() core.Address { return s.quote.Sender }
