package txmgr

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
)

// lookForForeign finds transactions whose nonce a foreign transaction used. unseen are those without a
// receipt.
//
// A false positive would do an action twice, while its first transaction is in the chain. So the nonce must
// be used in a block as deep as a final one, and for longer, while no endpoint has a receipt or knows one of
// our transactions in a block.
func (m *Manager) lookForForeign(ctx context.Context, head protocol.Head, unseen []*pendingTx) {
	now := m.opt.Now()
	ask := false
	for _, f := range unseen {
		ask = ask || f.answered == nonceUsed || !f.usedSince.IsZero() || now.Sub(m.waitingSince(f)) >= m.opt.FinalAfter
	}
	if !ask || head.Number <= m.opt.Confirmations {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, m.opt.CallTimeout)
	defer cancel()
	used, err := m.opt.Backend.NonceAt(ctx, m.account(), head.Number-m.opt.Confirmations)
	if err != nil {
		return
	}
	// From the end, so that resent actions keep their order in the queue.
	for _, f := range slices.Backward(unseen) {
		switch {
		case used <= f.rec.Nonce:
			f.usedSince = time.Time{}
		case f.usedSince.IsZero():
			f.usedSince = now
		case now.Sub(f.usedSince) < m.opt.ForeignAfter:
		case m.noTrace(ctx, f):
			m.displaced(f, head)
		}
	}
}

// noTrace reports whether no endpoint knows any of the attempts in a block. An endpoint can have a block and
// have lost its receipts.
func (m *Manager) noTrace(ctx context.Context, f *pendingTx) bool {
	for _, a := range f.rec.Attempts {
		_, mined, err := m.opt.Backend.TransactionByHash(ctx, a.Hash)
		if mined || err != nil && !errors.Is(err, ethereum.NotFound) {
			return false
		}
	}
	return true
}

// waitingSince returns when a transaction was last signed, or resumed by this process: also where the
// clock was ahead when it was signed, and is right now.
func (m *Manager) waitingSince(f *pendingTx) time.Time {
	if at := f.signed(); at.After(m.nonces.started) && !at.After(m.opt.Now()) {
		return at
	}
	return m.nonces.started
}

// displaced resends the action of a transaction whose nonce is gone, once, if it is still wanted.
func (m *Manager) displaced(f *pendingTx, head protocol.Head) {
	m.opt.Health.Set(foreignKey(m),
		"a transaction that this node did not send used a nonce of the account "+m.self.String())
	m.nonces.reported.foreignAt = m.opt.Now()
	givenUp := f.canceling()
	f.foreign, f.rec.State, f.rec.Update = true, protocol.TxDropped, m.opt.Now()
	if !givenUp || f.rec.Code == "" {
		f.rec.Code, f.rec.Reason = fault.ForeignTransaction, fmt.Sprintf("nonce %d was used by another transaction",
			f.rec.Nonce)
	}
	m.opt.Log.Warn("transaction displaced", "tx", f.view().Hash.String(), "action", f.rec.Call.Verb, "nonce",
		f.rec.Nonce, "code", string(fault.ForeignTransaction))
	if givenUp || f.rec.Resent || !f.wanted() || expired(f.rec.Until, head) {
		m.fail(f, f.failure())
		return
	}
	f.resend = &request{
		intent: f.originalIntent(), call: f.rec.Call, opt: protocol.SendOptions{Once: f.rec.Once, Until: f.rec.Until,
			MinGas: f.rec.Gas},
		answers: make(chan reply, 1), resendOf: f, waiters: f.waiters,
	}
	f.waiters = nil
	m.nonces.requests = append([]*request{f.resend}, m.nonces.requests...)
}

func foreignKey(m *Manager) health.Key {
	return health.Key{Code: fault.ForeignTransaction, About: m.self.String()}
}
