package recipient

import (
	"sync"
	"time"

	"github.com/tuttinode/tutti/pm"
)

const (
	// debtLasts is for how long what a gateway left unpaid counts against it.
	debtLifetime = 24 * time.Hour
	// debtorsMost bounds the gateways whose debts are remembered though they have no
	// account open.
	maxDebtors = 1 << 16
	// leniency: so much of what a gateway paid in debtLasts may be owed, a twentieth. A segment's
	// estimate is not exact, and an honest gateway never learns that one was short when
	// its session ends there.
	debtTolerance = 20
)

// payer is what one gateway did in all its accounts. An account costs nothing to
// open, so that a debt in one of them has to count in every other.
type payer struct {
	now func() time.Time
	// accounts are those open. Guarded by the mutex of accounts.
	accounts int

	mu sync.Mutex
	// short is by how much open accounts are below nothing; recent what was paid and what
	// closed accounts were below nothing, less what was left in others. Guarded by mu, which
	// is taken after that of an account.
	deficit  pm.Value
	recent recent
	// promised is what jobs in progress will leave owing. Guarded by mu.
	expectedDebt pm.Value
}

// shift notes that open accounts are further below nothing, or less far.
func (p *payer) addDeficit(by pm.Value) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deficit = p.deficit.Add(by)
}

func (p *payer) credit(v pm.Value) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	p.recent.forget(now)
	p.recent.add(period{first: now, last: now, paid: v})
}

// close takes over what is left in an account. What is left in one of before the start is
// no payment of what is owed: the books may be an older copy, and it may have been spent.
func (p *payer) close(left pm.Value, stale bool, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recent.forget(now)
	switch {
	case left.Sign() < 0:
		p.deficit = p.deficit.Add(left)
		p.recent.add(period{first: now, last: now, given: left.Neg()})
	case left.Sign() > 0 && !stale:
		p.recent.add(period{first: now, last: now, kept: left})
	}
}

// over reports whether nothing counts against the gateway any more.
func (p *payer) clear(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recent.forget(now)
	return p.deficit.Sign() == 0 && p.recent.net().Sign() <= 0
}

// newest is when something of the gateway was counted last.
func (p *payer) newest() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.recent.newest()
}

// owes is what has to be covered besides the work itself in an account that is so far
// below nothing: what is owed elsewhere, beyond what is excused.
func (p *payer) owedElsewhere(here pm.Value) pm.Value {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recent.forget(p.now())
	net := p.recent.net()
	if p.deficit.Sign() == 0 && net.Sign() <= 0 {
		return pm.Value{}
	}
	debt := p.deficit.Sub(here).Add(net)
	if debt.Sign() <= 0 || p.excusedLocked(debt) {
		return pm.Value{}
	}
	return debt
}

// excused reports whether a debt is little of what the gateway paid in the same time. The
// caller holds mu.
func (p *payer) excusedLocked(debt pm.Value) bool { return debt.Times(debtTolerance).Cmp(p.recent.paid) <= 0 }

// promise takes over what a job leaves owing in an account that is so far below nothing, if
// all that is owed then is at most so much, or excused. It counts until keep.
func (p *payer) expectDebt(missing, here, most pm.Value) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	debt := p.deficit.Sub(here).Add(p.expectedDebt).Add(missing)
	p.recent.forget(p.now())
	if net := p.recent.net(); net.Sign() > 0 {
		debt = debt.Add(net)
	}
	if debt.Cmp(most) > 0 && !p.excusedLocked(debt) {
		return false
	}
	p.expectedDebt = p.expectedDebt.Add(missing)
	return true
}

// keep ends a promise: what came of it is in an account.
func (p *payer) dropExpected(expected pm.Value) {
	if expected.Sign() == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expectedDebt = p.expectedDebt.Sub(expected)
}
