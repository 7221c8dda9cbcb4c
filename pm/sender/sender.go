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

// sweepEvery is the interval of Sweep and of checking the funds.
const sweepEvery = 15 * time.Second

// Sender pays for one account. It is a lifecycle component, and safe for concurrent use; it can
// pay before Run as well.
type Sender struct {
	opt    Options
	issued map[protocol.Hash]uint32

	// mu guards what follows.
	mu       sync.Mutex
	sets     map[setKey]*set
	accounts map[accountKey]*account
	prices   map[priceKey]*firstPrice
	tooHigh  map[core.Address]time.Time // see reportFaceValue
	credits  map[string]*credit         // by payee

	// Counts of these, by owner of the terms.
	setQuota, accountQuota, priceQuota quota[string]
}

// New makes a Sender. It does nothing until Run.
func New(opt Options) *Sender {
	s := &Sender{
		opt: opt.withDefaults(), issued: make(map[protocol.Hash]uint32),
		sets: make(map[setKey]*set), accounts: make(map[accountKey]*account),
		prices: make(map[priceKey]*firstPrice), tooHigh: make(map[core.Address]time.Time),
		credits:  make(map[string]*credit),
		setQuota: newQuota[string](maxSets, maxSetsAll), accountQuota: newQuota[string](maxAccounts, maxAccountsAll),
		priceQuota: newQuota[string](maxPrices, maxPricesAll),
	}
	for _, i := range opt.Issued {
		s.issued[i.RandHash] = i.Last
	}
	s.restoreCredits(opt.Credits)
	return s
}

// Account returns the paying account.
func (s *Sender) Account() core.Address { return s.opt.Account }

// Name returns the component's name.
func (s *Sender) Name() string { return "paying" }

// Run sweeps and checks the funds until ctx ends. Then it writes the balances off: the next process does not know them.
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
			s.writeOffAll()
			return nil
		}
	}
}

// writeOffAll empties the balances.
func (s *Sender) writeOffAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.accounts {
		s.opt.Book.WriteOff(paymentlog.Stopped, a.value)
		a.value = pm.Value{}
	}
}

// Sweep drops sets that have expired, and balances, first prices and credits that are idle.
func (s *Sender) Sweep() {
	now, view := s.opt.Now(), s.opt.Chain.View()
	s.forgetFaceValues(now)
	for payee, why := range s.sweepAll(now, view) {
		s.reportCredit(payee, why != "", true, why)
	}
}

// sweepAll is Sweep without setting conditions; it returns those of credits.
func (s *Sender) sweepAll(now time.Time, view protocol.View) (why map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweepSetsLocked(now, view)
	for k, a := range s.accounts {
		if a.jobs == 0 && a.expired(now) {
			s.opt.Book.WriteOff(paymentlog.Idle, a.value)
			s.forgetAccountLocked(k)
		}
	}
	s.sweepPricesLocked(now)
	return s.sweepCreditsLocked(now)
}

// Held is one balance as this gateway counts it.
type Held struct {
	Peer    string
	Address core.Address
	Key     core.ManifestID
	Value   pm.Value
	// InHand is how many jobs run on it.
	InHand int
}

// Balances lists the balances at orchestrators, unordered.
func (s *Sender) Balances() []Held {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Held, 0, len(s.accounts))
	for k, a := range s.accounts {
		out = append(out, Held{Peer: k.peer, Address: k.address, Key: k.key, Value: a.value, InHand: a.jobs})
	}
	return out
}

var _ Book = (*paymentlog.Store)(nil)
