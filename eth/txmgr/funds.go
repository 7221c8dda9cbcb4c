package txmgr

import (
	"context"
	"fmt"
	"math/big"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

// shortage is the state of missing gas money.
type shortage struct {
	// since is zero while none is.
	since time.Time
	// gas is what the refused transaction needs, at the current price; 0 when only pending ones lack money.
	gas  protocol.Gas
	next time.Time // when to check again
}

// The balance is checked after recheck while it is too small, and then less and less often: an account that
// gets no money for days is not worth more requests.
const recheck, longestRecheck = 5 * time.Second, time.Minute

func (m *Manager) isShort() bool { return !m.nonces.shortage.since.IsZero() }

// balance returns what the account has.
func (m *Manager) balance(ctx context.Context) (core.Wei, error) {
	ctx, cancel := context.WithTimeout(ctx, m.opt.CallTimeout)
	defer cancel()
	return m.opt.Backend.BalanceAt(ctx, m.account(), contracts.Latest)
}

// checkBalance returns a fault when the account cannot pay for gas and value. err means that no endpoint
// answered.
func (m *Manager) checkBalance(ctx context.Context, op string, gas, value core.Wei) (missing, err error) {
	has, err := m.balance(ctx)
	if err != nil {
		return nil, err
	}
	return m.shortfall(op, has, gas.Add(value)), nil
}

func (m *Manager) shortfall(op string, has, need core.Wei) error {
	if has.Cmp(need) >= 0 {
		return nil
	}
	return fault.New(fault.GasMoneyMissing, op,
		fmt.Sprintf("the account %s has %s ETH and needs up to %s ETH: %s ETH are missing",
			m.self, has.Ether(), need.Ether(), need.Sub(has).Ether()))
}

// checkFunds is checkBalance for a request about to be sent, besides the pending transactions, and returns the
// offer per gas. When even gas cannot be paid, that is a condition; too large a value is only the caller's
// error.
func (m *Manager) checkFunds(ctx context.Context, r *request, offer fees, base core.Wei) (price core.Wei, missing,
	err error) {
	price = offer.feeCap
	has, err := m.balance(ctx)
	if err != nil {
		return price, nil, err
	}
	reserved := core.Wei{}
	for _, f := range m.nonces.open() {
		reserved = reserved.Add(f.maxCost())
	}
	committed := maxWei(reserved.Add(weiOf(r.call.Wei)), m.committedGas())
	gas := r.gas
	if r.opt.FitToBalance && has.Cmp(committed) > 0 {
		price, gas = m.fitToBalance(r.gas, has.Sub(committed), base.Add(offer.tip), price)
	}
	r.limit = m.gasLimit(r, gas, has, committed, price)
	fee := gasCost(r.limit, price)
	if need := m.committedGas().Add(fee); has.Cmp(need) < 0 {
		m.setShort(has, need, r.limit)
	} else {
		m.endShortage()
	}
	return price, m.shortfall(r.call.Verb, has, reserved.Add(fee).Add(weiOf(r.call.Wei))), nil
}

// fitToBalance returns the price and the gas limit that the money is enough for: first the margin of the price is
// given up, then that of the gas limit. Where not even the current need can be paid, both stay.
func (m *Manager) fitToBalance(gas protocol.Gas, has, now, price core.Wei) (core.Wei, protocol.Gas) {
	if has.Cmp(gasCost(gas, price)) >= 0 || now.IsZero() || now.Cmp(price) > 0 {
		return price, gas
	}
	if has.Cmp(gasCost(gas, now)) >= 0 {
		n := has.Big()
		return weiOf(n.Quo(n, new(big.Int).SetUint64(uint64(gas)))), gas
	}
	if m.opt.GasLimit != 0 || has.Cmp(gasCost(withoutHeadroom(gas), now)) < 0 {
		return price, gas
	}
	n := has.Big()
	return now, protocol.Gas(n.Quo(n, now.Big()).Uint64()) // between the two
}

// gasLimit returns a request's gas limit: what its simulation asked for or, where that is more and the account can
// pay for it, the caller's minimum.
func (m *Manager) gasLimit(r *request, gas protocol.Gas, has, committed, price core.Wei) protocol.Gas {
	if m.opt.GasLimit != 0 || r.opt.MinGas <= gas {
		return gas
	}
	if has.Cmp(committed.Add(gasCost(r.opt.MinGas, price))) >= 0 {
		return r.opt.MinGas
	}
	if has.Cmp(committed.Add(gasCost(gas, price))) <= 0 || price.IsZero() {
		return gas
	}
	n := has.Sub(committed).Big()
	return protocol.Gas(n.Quo(n, price.Big()).Uint64()) // between the two
}

// committedGas returns what the pending transactions may cost for gas. Their value counts only where an endpoint
// reported that it is missing.
func (m *Manager) committedGas() core.Wei {
	var sum core.Wei
	for _, f := range m.nonces.open() {
		if f.answered == underfunded {
			sum = sum.Add(f.maxCost())
		} else {
			sum = sum.Add(f.maxGasCost())
		}
	}
	return sum
}

func (m *Manager) shortageKey() health.Key {
	return health.Key{Code: fault.GasMoneyMissing, About: m.self.String()}
}

func (m *Manager) setShort(has, need core.Wei, gas protocol.Gas) {
	money := &m.nonces.shortage
	if now := m.opt.Now(); !m.isShort() {
		*money = shortage{since: now, next: now.Add(recheck)}
	}
	money.gas = max(gas, money.gas)
	m.nonces.due(money.next)
	m.opt.Health.Report(m.shortageKey(), m.shortfall("", has, need))
}

// endShortage ends the shortage, and broadcasts again what waited for money.
func (m *Manager) endShortage() {
	if !m.isShort() {
		return
	}
	m.nonces.shortage = shortage{}
	m.opt.Health.Clear(m.shortageKey())
	now := m.opt.Now()
	for _, f := range m.nonces.open() {
		f.nextSend = now
		m.nonces.due(now)
	}
}

// affords reports whether the account can pay for a further attempt. A replacement offers more than the one before, so
// after one that is too expensive, because a base fee was false for a moment, nothing cheaper could be signed again.
func (m *Manager) affords(ctx context.Context, f *pendingTx, price fees, canceling bool) bool {
	gas, value := f.rec.Gas, weiOf(f.rec.Call.Wei)
	if canceling {
		gas, value = cancelGas, core.Wei{}
	}
	has, err := m.balance(ctx)
	if err != nil {
		return false
	}
	need := gasCost(gas, price.feeCap).Add(value)
	if has.Cmp(need) < 0 {
		m.setShort(has, need, gas)
		return false
	}
	return true
}

// onUnderfunded handles an endpoint's answer that the account cannot pay for a signed transaction.
func (m *Manager) onUnderfunded(ctx context.Context, f *pendingTx) {
	has, err := m.balance(ctx)
	if err != nil || has.Cmp(f.maxCost()) >= 0 {
		f.answered = unknown
		return
	}
	for at, tx := range f.txs {
		if cost, err := core.WeiOf(tx.Cost()); err == nil && cost.Cmp(has) <= 0 {
			f.prefer = at // the newest that the account can pay for
		}
	}
	m.setShort(has, m.committedGas(), 0)
}

// recheckBalance ends the shortage when the money is enough: because some came, the price fell, or what
// needed it has ended. A refused transaction is counted at the current price.
func (m *Manager) recheckBalance(ctx context.Context, head protocol.Head) {
	money := &m.nonces.shortage
	if !m.isShort() {
		return
	}
	now := m.opt.Now()
	if now.Before(money.next) {
		m.nonces.due(money.next)
		return
	}
	money.next = now.Add(min(max(now.Sub(money.since), recheck), longestRecheck))
	m.nonces.due(money.next)
	if head.Hash.IsZero() {
		return
	}
	tip, err := m.suggest(ctx)
	if err != nil {
		return
	}
	has, err := m.balance(ctx)
	if err != nil {
		return
	}
	offer, _ := m.bounds().offer(head.BaseFee, tip)
	if has.Cmp(m.committedGas().Add(gasCost(money.gas, offer.feeCap))) >= 0 {
		m.endShortage()
	}
}
