package txmgr

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

// Estimate simulates the intent and returns its maximum cost: Price is the offer per gas, about twice what is
// paid while the base fee stays; Used and Current are what it would cost now. The error is the fault with
// which Send would refuse; where only money is missing, the estimate comes with it.
func (m *Manager) Estimate(ctx context.Context, in Intent) (protocol.Estimate, error) {
	call := snapshotCall(in)
	e := protocol.Estimate{Verb: call.Verb, About: call.About}
	gas, refused, err := m.simulate(ctx, in, call, 0)
	if refused != nil {
		return e, refused
	}
	if err != nil {
		return e, err
	}
	head, err := m.opt.Backend.Head(ctx)
	if err != nil {
		return e, err
	}
	tip, err := m.suggest(ctx)
	if err != nil {
		return e, err
	}
	offer, _ := m.bounds().offer(head.BaseFee, tip)
	e.Gas, e.Price, e.Current = gas, offer.feeCap, head.BaseFee.Add(tip)
	if m.opt.GasLimit == 0 {
		e.Used = withoutHeadroom(gas)
	}
	e.Fee = gasCost(gas, e.Price)
	e.Need = e.Fee.Add(weiOf(call.Wei))
	has, err := m.balance(ctx)
	if err != nil {
		return e, err
	}
	if set := m.pendingGasCost(offer.feeCap); has.Cmp(set) > 0 {
		e.Left = has.Sub(set)
	}
	return e, m.shortfall(call.Verb, has, e.Need)
}

// pendingGasCost returns the maximum gas cost of the transactions in progress at a price.
func (m *Manager) pendingGasCost(price core.Wei) core.Wei {
	var gas protocol.Gas
	for _, tx := range m.Transactions() {
		if tx.State == protocol.TxSubmitted {
			gas += tx.Gas
		}
	}
	return gasCost(gas, price)
}

// message returns the call in the form of the RPC client.
func (m *Manager) message(call JournalCall, gas protocol.Gas) ethereum.CallMsg {
	to := call.Addr
	return ethereum.CallMsg{From: m.account(), To: &to, Gas: uint64(gas), Value: call.Value(), Data: call.Input}
}

// simulate runs a call and returns its gas limit: the operator's, or the caller's, or the endpoint's
// estimate. refused is the fault of a call that would fail; err means that no endpoint answered.
func (m *Manager) simulate(ctx context.Context, in Intent, call JournalCall, fixed protocol.Gas) (gas protocol.Gas,
	refused, err error) {
	ctx, cancel := context.WithTimeout(ctx, m.opt.CallTimeout)
	defer cancel()
	if gas = cmp.Or(m.opt.GasLimit, fixed); gas != 0 {
		_, err = m.opt.Backend.CallContract(ctx, m.message(call, gas), contracts.Latest)
	} else {
		gas, err = m.opt.Backend.EstimateGas(ctx, m.message(call, 0))
		if err == nil && (gas == 0 || gas > maxEstimate) {
			return 0, nil, fault.New(fault.GasEstimateFailed, call.Verb, fmt.Sprintf("an endpoint estimates %d gas", gas))
		}
		gas = headroom(gas)
	}
	if err == nil {
		return gas, nil, nil
	}
	if reason, ok := m.opt.Decode(in, err); ok {
		return 0, reason, nil
	}
	if outcomeOf(err) == underfunded {
		missing, lost := m.checkBalance(ctx, call.Verb, m.assumedCost(), weiOf(call.Wei))
		return 0, missing, fault.Wrap(fault.GasEstimateFailed, call.Verb, errors.Join(err, lost))
	}
	if saysReverted(err) {
		return 0, fault.Wrap(fault.TxReverted, call.Verb, err), nil
	}
	if _, ok := errors.AsType[*fault.Fault](err); ok || ctx.Err() != nil {
		return 0, nil, fmt.Errorf("%s: %w", call.Verb, err)
	}
	return 0, nil, fault.Wrap(fault.GasEstimateFailed, call.Verb, err)
}

// assumedCost returns the maximum gas cost where no endpoint estimates the gas.
func (m *Manager) assumedCost() core.Wei {
	const gas = 300_000
	m.mu.Lock()
	defer m.mu.Unlock()
	offer, _ := m.prices.offer(m.head.BaseFee, m.tip)
	return gasCost(gas, offer.feeCap)
}

// maxEstimate is more gas than any transaction takes: as much as -gasLimit may say.
const maxEstimate protocol.Gas = 1_000_000_000

// headroom adds a quarter: on Arbitrum the estimate includes the layer-1 price, which changes until the
// transaction is mined. Unused gas is not paid.
func headroom(g protocol.Gas) protocol.Gas { return g + (g+3)/4 }

// withoutHeadroom returns the estimate before headroom.
func withoutHeadroom(g protocol.Gas) protocol.Gas { return g - (g+4)/5 }
