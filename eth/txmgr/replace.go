package txmgr

import (
	"context"
	"fmt"
	"math/big"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/account"
)

// maxAttempts bounds the attempts of one nonce, maxReplaced those that are no cancels.
const maxAttempts, maxReplaced = 12, 8

// advance does what is due for a transaction that is in no block: give it up, replace it, broadcast it again.
func (m *Manager) advance(ctx context.Context, f *pendingTx, head protocol.Head) {
	if f.dirty || f.foreign || f.rec.Mined != nil || f.rec.Settled {
		return
	}
	now := m.opt.Now()
	if f == m.nonces.front() && f.frontSince.IsZero() {
		f.frontSince = now
	}
	if code, reason := m.giveUpReason(f, head); code != "" && !f.canceling() {
		m.giveUp(ctx, f, head, code, reason)
	} else if m.replaceable(f, head) {
		m.replace(ctx, f, head, f.canceling())
	}
	if !f.dirty && !f.nextSend.After(now) {
		m.broadcast(ctx, f)
	}
	m.nonces.due(f.nextSend)
}

// timedOut reports whether the newest attempt had its time. Only the front of the queue has a clock: the
// others wait for it.
func (m *Manager) timedOut(f *pendingTx) bool {
	if f.frontSince.IsZero() {
		return false
	}
	since := f.frontSince
	if at := m.waitingSince(f); at.After(since) {
		since = at
	}
	over := since.Add(m.opt.Timeout)
	if m.opt.Now().Before(over) {
		m.nonces.due(over)
		return false
	}
	return true
}

// exhausted reports whether the transaction was replaced as often as allowed, and
// the last one had its time.
func (m *Manager) exhausted(f *pendingTx) bool {
	return !f.canceling() && (f.replaced() >= m.allowed() || f.remade() >= maxReplaced || f.unsignable) && m.timedOut(f)
}

func (m *Manager) allowed() int { return min(m.opt.Replacements, maxReplaced) }

func (m *Manager) replaceable(f *pendingTx, head protocol.Head) bool {
	switch {
	case len(f.rec.Attempts) >= maxAttempts:
		return false
	case m.repriceable(f, head):
		return true
	}
	return m.timedOut(f) && (f.canceling() || f.replaced() < m.allowed() && f.remade() < maxReplaced)
}

// repriceable reports whether the front offers less than the base fee. No block accepts it however long it
// waits, so it is signed again at once. That does not count as a replacement of one that could have been
// mined; each offers twice a base fee that has doubled, so few are enough for any spike. An operator that
// allows no replacement gets none of these either.
func (m *Manager) repriceable(f *pendingTx, head protocol.Head) bool {
	if f != m.nonces.front() || feesOf(f.last()).feeCap.Cmp(head.BaseFee) >= 0 {
		return false
	}
	return f.canceling() || m.allowed() > 0 && f.remade() < maxReplaced
}

// replace signs the transaction, or its cancel, again at a higher price. While that is above the largest
// price the old one stays.
func (m *Manager) replace(ctx context.Context, f *pendingTx, head protocol.Head, canceling bool) {
	if m.opt.Now().Before(f.nextPrice) {
		return
	}
	f.nextPrice = m.opt.Now().Add(m.opt.Rebroadcast)
	tip, err := m.suggest(ctx)
	if err != nil {
		return
	}
	bounds := m.bounds()
	fresh, fits := bounds.offer(head.BaseFee, tip)
	if canceling && f.canceling() && fresh.feeCap.Cmp(feesOf(f.last()).feeCap) <= 0 {
		return // it pays enough already
	}
	repriced := m.repriceable(f, head)
	price, below := bounds.bump(feesOf(f.last()), fresh)
	if f.pricedOut = !fits || !below; f.pricedOut || !m.affords(ctx, f, price, canceling) {
		return
	}
	if err := m.sign(f, price, canceling); err != nil {
		if !f.unsignable {
			m.opt.Log.Error("transaction not signed again", "action", f.rec.Call.Verb, "nonce", f.rec.Nonce, "err", err)
		}
		f.unsignable = true
		return
	}
	f.unsignable = false
	f.rec.Attempts[len(f.rec.Attempts)-1].Repriced = repriced && !canceling
	m.opt.Log.Info("transaction replaced", "tx", f.view().Hash.String(), "action", f.rec.Call.Verb, "nonce", f.rec.Nonce,
		"price", price.feeCap.String(), "cancel", canceling)
	m.write(ctx, f)
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

// sign adds an attempt.
func (m *Manager) sign(f *pendingTx, price fees, canceling bool) error {
	call, gas := f.rec.Call, f.rec.Gas
	if canceling {
		call, gas = cancel(m.self), cancelGas
	}
	tx, err := m.opt.Signer.Sign(
		account.Call{To: core.Address(call.Addr), Data: call.Input, Value: weiOf(call.Wei)},
		account.Terms{ChainID: m.opt.ChainID, Nonce: f.rec.Nonce, Gas: uint64(gas), FeeCap: price.feeCap, Tip: price.tip})
	if err != nil {
		return err
	}
	return f.attempt(tx, canceling, m.opt.Now())
}

// cancelGas is the gas limit of a cancel. A transfer uses 21000; on Arbitrum the
// price of layer 1 is part of it, and what is not used is not paid.
const cancelGas protocol.Gas = 200_000

// giveUpReason is why a transaction is given up; an empty code means that it is not.
func (m *Manager) giveUpReason(f *pendingTx, head protocol.Head) (fault.Code, string) {
	if f.rec.Call.Verb == cancelName {
		return "", ""
	}
	if expired(f.rec.Until, head) {
		return fault.TxExpired, fmt.Sprintf("layer-1 block %d has passed", f.rec.Until)
	}
	if r := f.refusal; r != nil && (r.permanent || m.opt.Now().Sub(r.since) >= m.opt.Timeout) {
		_, text := fault.Public(r.err)
		return fault.TxRefused, text
	}
	if !m.exhausted(f) || !m.blocksOthers(f) {
		return "", ""
	}
	held := m.opt.Now().Sub(f.frontSince)
	if f.wanted() && held < m.opt.GiveUpAfter {
		m.nonces.due(f.frontSince.Add(m.opt.GiveUpAfter))
		return "", ""
	}
	return fault.TxGivenUp, "not mined in " + held.Round(time.Second).String()
}

// blocksOthers reports whether a transaction blocks others.
func (m *Manager) blocksOthers(f *pendingTx) bool {
	for _, o := range m.nonces.pending {
		if o.rec.Nonce > f.rec.Nonce && o.rec.Mined == nil {
			return true
		}
	}
	for _, r := range m.nonces.requests {
		if r.gas != 0 {
			return true
		}
	}
	return false
}

// giveUp signs a cancel with a transaction's nonce. The one that is mined decides.
func (m *Manager) giveUp(ctx context.Context, f *pendingTx, head protocol.Head, code fault.Code, reason string) {
	f.rec.Code, f.rec.Reason = code, reason
	m.replace(ctx, f, head, true)
	if !f.canceling() {
		f.rec.Code, f.rec.Reason = "", ""
		m.nonces.due(f.nextPrice)
	}
}
