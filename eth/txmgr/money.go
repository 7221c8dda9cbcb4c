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
	"github.com/tuttinode/tutti/eth/ethcall"
)

// shortage is gas money that was missing.
type shortage struct {
	// since is zero while none is.
	since time.Time
	// gas is what the refused transaction needs, at whatever the price is by now; 0
	// when only those in flight lack money.
	gas  protocol.Gas
	next time.Time // when to look again
}

// The balance is looked at after recheck while it is too small, and then ever more
// seldom: an account that gets no money for days is not worth more.
const recheck, longestRecheck = 5 * time.Second, time.Minute

func (m *Manager) short() bool { return !m.lane.money.since.IsZero() }

// balance is what the account has.
func (m *Manager) balance(ctx context.Context) (core.Wei, error) {
	ctx, cancel := context.WithTimeout(ctx, m.opt.CallTimeout)
	defer cancel()
	return m.opt.Backend.BalanceAt(ctx, m.account(), ethcall.Latest)
}

// lacks returns a fault when the account cannot pay for gas and value. err says
// that nobody could tell.
func (m *Manager) lacks(ctx context.Context, op string, gas, value core.Wei) (missing, err error) {
	has, err := m.balance(ctx)
	if err != nil {
		return nil, err
	}
	return m.shortBy(op, has, gas.Add(value)), nil
}

func (m *Manager) shortBy(op string, has, need core.Wei) error {
	if has.Cmp(need) >= 0 {
		return nil
	}
	return fault.New(fault.GasMoneyMissing, op, fmt.Sprintf("the account %s has %s ETH and needs up to %s ETH: %s ETH are missing",
		m.self, has.Ether(), need.Ether(), need.Sub(has).Ether()))
}

// checkFunds is lacks for a request that is about to be sent, beside those in
// flight, and says what to offer per gas. When even gas cannot be paid, that is a lasting trouble; too large a
// value is only the caller's.
func (m *Manager) checkFunds(ctx context.Context, r *request, offer fees, base core.Wei) (price core.Wei, missing, err error) {
	price = offer.feeCap
	has, err := m.balance(ctx)
	if err != nil {
		return price, nil, err
	}
	reserved := core.Wei{}
	for _, f := range m.lane.open() {
		reserved = reserved.Add(f.most())
	}
	spoken := larger(reserved.Add(weiOf(r.call.Wei)), m.owed())
	gas := r.gas
	if r.opt.Thrifty && has.Cmp(spoken) > 0 {
		price, gas = m.thrift(r.gas, has.Sub(spoken), base.Add(offer.tip), price)
	}
	r.limit = m.limit(r, gas, has, spoken, price)
	fee := times(r.limit, price)
	if need := m.owed().Add(fee); has.Cmp(need) < 0 {
		m.setShort(has, need, r.limit)
	} else {
		m.enough()
	}
	return price, m.shortBy(r.call.Verb, has, reserved.Add(fee).Add(weiOf(r.call.Wei))), nil
}

// thrift is the price and the gas limit that so much money is enough for: first the
// room for a higher price is given up, then that of the gas limit. Where not even what
// is needed now can be paid, both stay.
func (m *Manager) thrift(gas protocol.Gas, has, now, price core.Wei) (core.Wei, protocol.Gas) {
	if has.Cmp(times(gas, price)) >= 0 || now.IsZero() || now.Cmp(price) > 0 {
		return price, gas
	}
	if has.Cmp(times(gas, now)) >= 0 {
		n := has.Big()
		return weiOf(n.Quo(n, new(big.Int).SetUint64(uint64(gas)))), gas
	}
	if m.opt.GasLimit != 0 || has.Cmp(times(bare(gas), now)) < 0 {
		return price, gas
	}
	n := has.Big()
	return now, protocol.Gas(n.Quo(n, now.Big()).Uint64()) // between the two
}

// limit is a request's gas limit: what its simulation asked for or, where that is more
// and the account can pay for it, what its sender asked for at least.
func (m *Manager) limit(r *request, gas protocol.Gas, has, spoken, price core.Wei) protocol.Gas {
	if m.opt.GasLimit != 0 || r.opt.MinGas <= gas {
		return gas
	}
	if has.Cmp(spoken.Add(times(r.opt.MinGas, price))) >= 0 {
		return r.opt.MinGas
	}
	if has.Cmp(spoken.Add(times(gas, price))) <= 0 || price.IsZero() {
		return gas
	}
	n := has.Sub(spoken).Big()
	return protocol.Gas(n.Quo(n, price.Big()).Uint64()) // between the two
}

// owed is what the transactions in flight may take for gas. What they pay besides
// counts only where an endpoint said that it is not there.
func (m *Manager) owed() core.Wei {
	var sum core.Wei
	for _, f := range m.lane.open() {
		if f.poor {
			sum = sum.Add(f.most())
		} else {
			sum = sum.Add(f.mostGas())
		}
	}
	return sum
}

func (m *Manager) moneyKey() health.Key {
	return health.Key{Code: fault.GasMoneyMissing, About: m.self.String()}
}

func (m *Manager) setShort(has, need core.Wei, gas protocol.Gas) {
	money := &m.lane.money
	if now := m.opt.Now(); !m.short() {
		*money = shortage{since: now, next: now.Add(recheck)}
	}
	money.gas = max(gas, money.gas)
	m.lane.due(money.next)
	m.opt.Health.Report(m.moneyKey(), m.shortBy("", has, need))
}

// enough ends the shortage, and hands out again what waited for money.
func (m *Manager) enough() {
	if !m.short() {
		return
	}
	m.lane.money = shortage{}
	m.opt.Health.Clear(m.moneyKey())
	now := m.opt.Now()
	for _, f := range m.lane.open() {
		f.nextSend = now
		m.lane.due(now)
	}
}

// poorFlight is told by an endpoint that a signed transaction cannot be paid.
func (m *Manager) poorFlight(ctx context.Context, f *flight) {
	has, err := m.balance(ctx)
	if err != nil || has.Cmp(f.most()) >= 0 {
		return
	}
	f.poor = true
	m.setShort(has, m.owed(), 0)
}

// recheckMoney looks whether the money is enough by now: because some came, the
// price fell, or what needed it has ended. A transaction that was refused is
// counted at the present price.
func (m *Manager) recheckMoney(ctx context.Context, head protocol.Head) {
	money := &m.lane.money
	if !m.short() {
		return
	}
	now := m.opt.Now()
	if now.Before(money.next) {
		m.lane.due(money.next)
		return
	}
	money.next = now.Add(min(max(now.Sub(money.since), recheck), longestRecheck))
	m.lane.due(money.next)
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
	if has.Cmp(m.owed().Add(times(money.gas, offer.feeCap))) >= 0 {
		m.enough()
	}
}
