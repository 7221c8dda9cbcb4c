package txmgr

import (
	"context"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/ethcall"
)

// shortage is gas money that was missing; need is 0 when none is.
type shortage struct {
	need    core.Wei
	checked time.Time
}

// recheck is how often the balance is looked at while it is too small.
const recheck = 5 * time.Second

func (m *Manager) short() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.money.need.IsZero()
}

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

// checkFunds is lacks for what is about to be sent. When even gas cannot be paid,
// that is a lasting trouble; too large a value is only the caller's.
func (m *Manager) checkFunds(ctx context.Context, op string, gas, value core.Wei) (missing, err error) {
	has, err := m.balance(ctx)
	if err != nil {
		return nil, err
	}
	if has.Cmp(gas) < 0 {
		m.setShort(has, gas)
	}
	return m.shortBy(op, has, gas.Add(value)), nil
}

func (m *Manager) moneyKey() health.Key {
	return health.Key{Code: fault.GasMoneyMissing, About: m.self.String()}
}

func (m *Manager) setShort(has, need core.Wei) {
	m.mu.Lock()
	m.money = shortage{need: need, checked: m.opt.Now()}
	m.mu.Unlock()
	m.opt.Health.Report(m.moneyKey(), m.shortBy("", has, need))
}

// poorFlight is told by an endpoint that a signed transaction cannot be paid.
func (m *Manager) poorFlight(ctx context.Context, f *flight) {
	if has, err := m.balance(ctx); err == nil && has.Cmp(f.most()) < 0 {
		m.setShort(has, f.most())
	}
}

// recheckMoney looks whether money came, and hands out again what waited for it.
func (m *Manager) recheckMoney(ctx context.Context, _ protocol.Head) {
	m.mu.Lock()
	money := m.money
	m.mu.Unlock()
	now := m.opt.Now()
	if money.need.IsZero() {
		return
	}
	if next := money.checked.Add(recheck); now.Before(next) {
		m.lane.due(next)
		return
	}
	m.lane.due(now.Add(recheck))
	has, err := m.balance(ctx)
	if err == nil && has.Cmp(money.need) >= 0 {
		money.need = core.Wei{}
		m.opt.Health.Clear(m.moneyKey())
		for _, f := range m.lane.flights {
			f.nextSend = now
			m.lane.due(now)
		}
	}
	money.checked = now
	m.mu.Lock()
	m.money = money
	m.mu.Unlock()
}
