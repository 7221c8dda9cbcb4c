package recipient

import (
	"io"
	"sync"
	"sync/atomic"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// Recipient takes payments. It is safe for concurrent use: payments of different
// sets of parameters are checked beside one another, and while one is being written
// to disk no lock is held that another waits for.
type Recipient struct {
	opt      Options
	accounts *accounts
	sets     *sets
	reported     *reportedWinners
	deferred     deferredWinners
	readers  *readLimiter

	// The operator's bounds may change at run time.
	maxFaceValue, minGasPrice atomic.Pointer[core.Wei]

	randMu sync.Mutex // guards opt.Rand

	// reached is the height that the ledger was told last; it is stored under reachedMu.
	reachedMu sync.Mutex
	reached   atomic.Uint64

	// archived is the round below which the ledger rolled everything up. Only Run
	// touches it.
	archived protocol.Round
}

var (
	_ orchestrate.Payments = (*Recipient)(nil)
	_ lifecycle.Component  = (*Recipient)(nil)
)

// New makes a Recipient that goes on where its ledger ended, with the open accounts and
// the debts. It fails when an option is missing.
func New(opt Options) (*Recipient, error) {
	opt, err := opt.complete()
	if err != nil {
		return nil, err
	}
	r := &Recipient{
		opt:     opt,
		sets:    newSets(opt.Limits, opt.Opening.Expired),
		reported:    newReportedWinners(),
		readers: newReadLimiter(),
	}
	r.accounts = newAccounts(opt.Limits, opt.Ledger.Book, opt.Now,
		func() protocol.Round { return opt.Chain.View().Round.Number })
	r.accounts.restore(&opt.Opening)
	r.SetMaxFaceValue(opt.MaxFaceValue)
	r.SetMinGasPrice(opt.MinGasPrice)
	return r, nil
}

// Name is the component's name.
func (*Recipient) Name() string { return "payments" }

// SetMaxFaceValue bounds what a ticket pays when it wins, for parameters that are
// handed out from now on; 0 is no bound. It lasts until the next start.
func (r *Recipient) SetMaxFaceValue(w core.Wei) { r.maxFaceValue.Store(&w) }

// MaxFaceValue is the present bound.
func (r *Recipient) MaxFaceValue() core.Wei { return *r.maxFaceValue.Load() }

// SetMinGasPrice changes the least that gas is reckoned at, until the next start.
func (r *Recipient) SetMinGasPrice(w core.Wei) { r.minGasPrice.Store(&w) }

// seed draws 32 random bytes.
func (r *Recipient) seed() (w protocol.Word, err error) {
	r.randMu.Lock()
	defer r.randMu.Unlock()
	_, err = io.ReadFull(r.opt.Rand, w[:])
	return w, err
}

// recall finds the random number of parameters again, and says whether the secret
// is one of an epoch that ended. A number that no secret gives is the present
// secret's, which the check of the payment finds not to fit.
func (r *Recipient) recoverRand(terms *pm.Params, sender core.Address, price pm.Price) (rand protocol.Word, known, retired bool) {
	rand = pm.RecipientRand(r.opt.Opening.Current.Secret, terms, sender, price)
	if pm.RandHash(rand) == terms.RecipientRandHash {
		return rand, true, false
	}
	for i := range r.opt.Opening.Retired {
		old := pm.RecipientRand(r.opt.Opening.Retired[i].Secret, terms, sender, price)
		if pm.RandHash(old) == terms.RecipientRandHash {
			return old, true, true
		}
	}
	return rand, false, false
}
