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

// leastTipBound is what a tip may come to, in wei, whatever the base fee is.
const leastTipBound = 3_000_000_000

// boundTip bounds a suggested tip by twice the base fee. A tip is paid in full however much less a block needs, so one
// that an endpoint makes up would cost the account.
func boundTip(tip, base core.Wei) core.Wei {
	return minWei(tip, maxWei(base.Add(base), core.NewWei(leastTipBound)))
}

// suggest asks for the usual tip: 0 on Arbitrum.
func (m *Manager) suggest(ctx context.Context) (core.Wei, error) {
	ctx, cancel := context.WithTimeout(ctx, m.opt.CallTimeout)
	defer cancel()
	tip, err := m.opt.Backend.SuggestTip(ctx)
	if err == nil {
		m.mu.Lock()
		tip = boundTip(tip, m.head.BaseFee)
		m.tip = tip
		m.mu.Unlock()
	}
	return tip, err
}
