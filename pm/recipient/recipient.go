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

// Recipient accepts payments. It is safe for concurrent use: payments with different parameters
// are verified in parallel, and no shared lock is held while one is written to disk.
type Recipient struct {
	opt      Options
	accounts *accounts
	sets     *sets
	reported *reportedWinners
	deferred deferredWinners
	readers  *readLimiter
	// unrecorded are the payments that are verified and not on disk yet.
	unrecorded *unrecorded
	// cannotWrite: the last write of a payment failed, for a reason that is not the payment's. Then no work begins
	// before its payment is written.
	cannotWrite atomic.Bool

	// The operator may change these bounds at run time.
	maxFaceValue, minGasPrice atomic.Pointer[core.Wei]

	// epochs are the secrets; renewal is about those that replaced the opening's, only Run touches it.
	epochs  atomic.Pointer[epochs]
	renewal renewal

	randMu sync.Mutex // guards opt.Rand

	// reached is the height that the ledger got last; reachedMu guards its writes.
	reachedMu sync.Mutex
	reached   atomic.Uint64

	// archived is the round below which the ledger has archived everything, seen what may be archived next. Only
	// Run touches them.
	archived protocol.Round
	seen     roundSeen
}

var (
	_ orchestrate.Payments = (*Recipient)(nil)
	_ lifecycle.Component  = (*Recipient)(nil)
)

// New makes a Recipient that continues from its ledger's opening, with the open accounts and
// the debts. It fails if an option is missing.
func New(opt Options) (*Recipient, error) {
	opt, err := opt.complete()
	if err != nil {
		return nil, err
	}
	r := &Recipient{
		opt:        opt,
		sets:       newSets(opt.Limits, opt.Opening.Expired),
		reported:   newReportedWinners(),
		readers:    newReadLimiter(),
		unrecorded: newUnrecorded(),
	}
	r.accounts = newAccounts(opt.Limits, opt.Ledger.Book, opt.Now,
		func() protocol.Round { return opt.Chain.View().Round.Number })
	r.accounts.restore(&opt.Opening)
	r.epochs.Store(&epochs{opt.Opening.Current, opt.Opening.Retired})
	r.SetMaxFaceValue(opt.MaxFaceValue)
	r.SetMinGasPrice(opt.MinGasPrice)
	return r, nil
}

// Name returns the component's name.
func (*Recipient) Name() string { return "payments" }

// SetMaxFaceValue bounds what a ticket pays when it wins, for parameters that are
// handed out from now on; 0 is no bound. It lasts until the next start.
func (r *Recipient) SetMaxFaceValue(w core.Wei) { r.maxFaceValue.Store(&w) }

// MaxFaceValue returns the present bound.
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

// recoverRand derives the random number of parameters again, and says whether the secret is
// that of an ended epoch. If no secret fits, it returns the present secret's number, which the
// check of the payment rejects.
func (r *Recipient) recoverRand(terms *pm.Params, sender core.Address, price pm.Price) (rand protocol.Word, known,
	retired bool) {
	all := r.epochs.Load()
	rand = pm.RecipientRand(all.current.Secret, terms, sender, price)
	if pm.RandHash(rand) == terms.RecipientRandHash {
		return rand, true, false
	}
	for i := range all.retired {
		old := pm.RecipientRand(all.retired[i].Secret, terms, sender, price)
		if pm.RandHash(old) == terms.RecipientRandHash {
			return old, true, true
		}
	}
	return rand, false, false
}
