package recipient

import (
	"sync"
	"time"

	"github.com/tuttinode/tutti/pm"
)

const (
	// debtLifetime is for how long a gateway's unpaid balance counts against it.
	debtLifetime = 24 * time.Hour
	// maxDebtors bounds the gateways without an open account whose debts are remembered.
	maxDebtors = 1 << 16
)

// payer is one gateway's record over all its accounts. Opening an account is free, so a debt in
// one of them must count in all others.
type payer struct {
	now func() time.Time
	// accounts is how many are open. Guarded by the mutex of accounts.
	accounts int

	mu sync.Mutex
	// deficit is how far open accounts are below zero. recent is what was paid, and how far
	// closed accounts were below zero, less what was left in others. Guarded by mu, which is
	// locked after that of an account.
	deficit pm.Value
	recent  recent
	// expectedDebt is what running jobs will leave unpaid. Guarded by mu.
	expectedDebt pm.Value
}

// addDeficit changes the deficit of the open accounts.
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

// close adds what is left in a closed account. Credit of a stale account pays no debt: the
// ledger may be an older copy, and the credit may have been spent.
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

// clear reports whether nothing counts against the gateway any more.
func (p *payer) clear(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recent.forget(now)
	return p.deficit.Sign() == 0 && p.recent.net().Sign() <= 0
}

// newest returns when the gateway's last payment or debt was recorded.
func (p *payer) newest() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.recent.newest()
}

// owedElsewhere returns what an account must cover besides the work itself: the gateway's debt
// without the account's own deficit, beyond the tolerance.
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
