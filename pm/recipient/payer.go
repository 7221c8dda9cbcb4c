package recipient

import (
	"sync"
	"time"

	"github.com/tuttinode/tutti/pm"
)

const (
	// debtLasts is for how long what a gateway left unpaid counts against it.
	debtLasts = 24 * time.Hour
	// debtorsMost bounds the gateways whose debts are remembered though they have no
	// account open.
	debtorsMost = 1 << 16
	// leniency: so much of what a gateway paid may be owed, a twentieth. A segment's
	// estimate is not exact, and an honest gateway never learns that one was short when
	// its session ends there.
	leniency = 20
)

// payer is what one gateway did in all its accounts. An account costs nothing to
// open, so that a debt in one of them has to count in every other.
type payer struct {
	// accounts are those open. Guarded by the mutex of accounts.
	accounts int

	mu sync.Mutex
	// short is by how much open accounts are below nothing; given what closed ones were
	// below nothing, less what was left in others; paid what tickets were worth since
	// the gateway is known. used is when something was given last. Guarded by mu, which
	// is taken after that of an account.
	short, given, paid pm.Value
	used               time.Time
	// promised is what jobs in hand will leave owing. Guarded by mu.
	promised pm.Value
}

// shift notes that open accounts are further below nothing, or less far.
func (p *payer) shift(by pm.Value) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.short = p.short.Add(by)
}

func (p *payer) credit(v pm.Value) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paid = p.paid.Add(v)
}

// close takes over what is left in an account.
func (p *payer) close(left pm.Value, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.given = p.given.Sub(left)
	if left.Sign() < 0 {
		p.short, p.used = p.short.Add(left), now
	}
}

// forgive forgets what was given too long ago.
func (p *payer) forgive(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.given.Sign() > 0 && now.Sub(p.used) >= debtLasts {
		p.given = pm.Value{}
	}
}

// owes is what has to be covered besides the work itself in an account that is so far
// below nothing: what is owed elsewhere, beyond what is no matter.
func (p *payer) owes(here pm.Value) pm.Value {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.short.Sign() == 0 && p.given.Sign() <= 0 {
		return pm.Value{}
	}
	debt := p.short.Sub(here).Add(p.given)
	if debt.Sign() <= 0 || debt.Times(leniency).Cmp(p.paid) <= 0 {
		return pm.Value{}
	}
	return debt
}

// promise takes over what a job leaves owing in an account that is so far below nothing, if
// all that is owed then is at most so much, or no matter. It counts until keep.
func (p *payer) promise(missing, here, most pm.Value) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	debt := p.short.Sub(here).Add(p.promised).Add(missing)
	if p.given.Sign() > 0 {
		debt = debt.Add(p.given)
	}
	if debt.Cmp(most) > 0 && debt.Times(leniency).Cmp(p.paid) > 0 {
		return false
	}
	p.promised = p.promised.Add(missing)
	return true
}

// keep ends a promise: what came of it is in an account.
func (p *payer) keep(promised pm.Value) {
	if promised.Sign() == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.promised = p.promised.Sub(promised)
}
