package sender

import (
	"context"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/paymentlog"
)

// sweepEvery is how often what is not needed any more is forgotten, and the funds
// are looked at.
const sweepEvery = 15 * time.Second

// Sender pays for one account. It is a lifecycle component, and safe for concurrent
// use; it pays before Run too, without forgetting anything.
type Sender struct {
	opt    Options
	issued map[protocol.Hash]uint32

	// mu guards what follows.
	mu       sync.Mutex
	sets     map[setKey]*set
	accounts map[accountKey]*account
	prices   map[priceKey]*first
	tooHigh  map[core.Address]time.Time // see tellFaceValue
	credits  map[string]*credit         // by payee

	// How many of these there are, by who owns the terms.
	setRoom, accountRoom, priceRoom quota[string]
}

// New makes a sender. It does nothing yet.
func New(opt Options) *Sender {
	s := &Sender{
		opt: opt.withDefaults(), issued: make(map[protocol.Hash]uint32),
		sets: make(map[setKey]*set), accounts: make(map[accountKey]*account),
		prices: make(map[priceKey]*first), tooHigh: make(map[core.Address]time.Time),
		credits: make(map[string]*credit),
		setRoom: newQuota[string](maxSets, maxSetsAll), accountRoom: newQuota[string](maxAccounts, maxAccountsAll),
		priceRoom: newQuota[string](maxPrices, maxPricesAll),
	}
	for _, i := range opt.Issued {
		s.issued[i.RandHash] = i.Last
	}
	s.restoreCredits(opt.Credits)
	return s
}

// Account is who pays.
func (s *Sender) Account() core.Address { return s.opt.Account }

// Name is the component's name.
func (s *Sender) Name() string { return "paying" }

// Run forgets what is over and watches the funds until ctx ends.
func (s *Sender) Run(ctx context.Context, ready func()) error {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	ready()
	for {
		s.watchFunds(ctx)
		select {
		case <-ticker.C:
			s.Sweep()
		case <-ctx.Done():
			return nil
		}
	}
}

// Sweep forgets sets that have expired, and balances, first prices and credits that are
// idle.
func (s *Sender) Sweep() {
	now, view := s.opt.Now(), s.opt.Chain.View()
	s.forgetFaceValues(now)
	for payee, why := range s.sweepAll(now, view) {
		s.tellCredit(payee, why != "", true, why)
	}
}

// sweepAll is Sweep but for the conditions, of which it returns those of credits.
func (s *Sender) sweepAll(now time.Time, view protocol.View) (why map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweepSets(view)
	for k, a := range s.accounts {
		if a.inHand == 0 && a.over(now) {
			s.forgetAccount(k)
		}
	}
	s.sweepPrices(now)
	return s.sweepCredits(now)
}

// Held is one balance as this gateway reckons it.
type Held struct {
	Peer    string
	Address core.Address
	Key     core.ManifestID
	Value   pm.Value
	// InHand is how many jobs are being done on it.
	InHand int
}

// Balances lists what orchestrators owe in work, in no order.
func (s *Sender) Balances() []Held {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Held, 0, len(s.accounts))
	for k, a := range s.accounts {
		out = append(out, Held{Peer: k.peer, Address: k.address, Key: k.key, Value: a.value, InHand: a.inHand})
	}
	return out
}

var _ Book = (*paymentlog.Store)(nil)
