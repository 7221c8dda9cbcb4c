package txmgr

import (
	"context"
	"math/big"

	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// bounds are the operator's bounds on the price per gas; 0 is none.
type bounds struct{ min, max core.Wei }

// fees are what a transaction offers per gas.
type fees struct{ feeCap, tip core.Wei }

// offer returns the offer at a base fee: twice the base fee, so that it is still enough after six full blocks,
// plus the tip. The bounds hold for the sum. The second result is false when the base fee alone is above the
// largest price.
func (b bounds) offer(base, tip core.Wei) (fees, bool) {
	feeCap := maxWei(b.min, base.Add(base).Add(tip))
	if b.max.IsZero() {
		return fees{feeCap, tip}, true
	}
	feeCap = minWei(feeCap, b.max)
	return fees{feeCap, minWei(tip, feeCap)}, base.Cmp(b.max) <= 0
}

// bump returns the offer of an attempt that replaces old: an eighth more of both, where endpoints require a tenth
// and more than nothing, and no less than a new transaction would. The second result is false when it is
// above the largest price.
func (b bounds) bump(old, fresh fees) (fees, bool) {
	f := fees{maxWei(eighthMore(old.feeCap), fresh.feeCap), maxWei(eighthMore(old.tip), fresh.tip)}
	f.feeCap = maxWei(f.feeCap, f.tip)
	return f, b.max.IsZero() || f.feeCap.Cmp(b.max) <= 0
}

// eighthMore is 9/8 of an amount, rounded up, and at least one more.
func eighthMore(w core.Wei) core.Wei {
	n := w.Big()
	n.Mul(n, big.NewInt(9))
	n.Add(n, big.NewInt(7))
	n.Rsh(n, 3)
	return maxWei(weiOf(n), w.Add(core.NewWei(1)))
}

// feesOf returns those of a signed transaction.
func feesOf(tx *types.Transaction) fees { return fees{weiOf(tx.GasFeeCap()), weiOf(tx.GasTipCap())} }

// weiOf is for amounts that no operator set: out of range counts as 0.
func weiOf(n *big.Int) core.Wei {
	if n == nil {
		return core.Wei{}
	}
	w, err := core.WeiOf(n)
	if err != nil {
		return core.Wei{}
	}
	return w
}

func maxWei(a, b core.Wei) core.Wei {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

func minWei(a, b core.Wei) core.Wei {
	if a.Cmp(b) > 0 {
		return b
	}
	return a
}

// gasCost is gas at a price.
func gasCost(g protocol.Gas, price core.Wei) core.Wei {
	return weiOf(new(big.Int).Mul(new(big.Int).SetUint64(uint64(g)), price.Big()))
}

// SetMaxGasPrice changes the largest price; 0 is no bound. It applies from the next attempt on.
func (m *Manager) SetMaxGasPrice(w core.Wei) {
	m.mu.Lock()
	m.prices.max = w
	m.mu.Unlock()
	m.wakeRun()
}

// SetMinGasPrice changes the least price that is offered.
func (m *Manager) SetMinGasPrice(w core.Wei) {
	m.mu.Lock()
	m.prices.min = w
	m.mu.Unlock()
	m.wakeRun()
}

// Prices returns the price of the newest block, 0 before one is known, and the bounds.
func (m *Manager) Prices() protocol.GasPrices {
	m.mu.Lock()
	defer m.mu.Unlock()
	return protocol.GasPrices{Current: m.head.BaseFee.Add(m.tip), Min: m.prices.min, Max: m.prices.max}
}

// bounds returns the present ones.
func (m *Manager) bounds() bounds {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.prices
}

// suggest asks for the usual tip: 0 on Arbitrum.
func (m *Manager) suggest(ctx context.Context) (core.Wei, error) {
	ctx, cancel := context.WithTimeout(ctx, m.opt.CallTimeout)
	defer cancel()
	tip, err := m.opt.Backend.SuggestTip(ctx)
	if err == nil {
		m.mu.Lock()
		m.tip = tip
		m.mu.Unlock()
	}
	return tip, err
}
