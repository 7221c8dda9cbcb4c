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

// lookForForeign finds transactions whose nonce somebody else used. unseen are
// those of which the endpoints just had no receipt.
//
// It is the one thing that must not be judged too soon: an action that is done
// again while its first transaction is in the chain is done twice. So the nonce
// must be used in a block as deep as a final one, and for longer, while no endpoint
// has a receipt or knows one of our transactions in a block.
func (m *Manager) lookForForeign(ctx context.Context, head protocol.Head, unseen []*flight) {
	now := m.opt.Now()
	ask := false
	for _, f := range unseen {
		ask = ask || f.nonceLow || !f.usedSince.IsZero() || now.Sub(m.waitingSince(f)) >= m.opt.FinalAfter
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
	// From the end, so that what is done again keeps its order in the queue.
	for _, f := range slices.Backward(unseen) {
		switch {
		case used <= f.rec.Nonce:
			f.usedSince = time.Time{}
		case f.usedSince.IsZero():
			f.usedSince = now
		case now.Sub(f.usedSince) < m.opt.ForeignAfter:
		case m.traceless(ctx, f):
			m.displaced(f, head)
		}
	}
}

// traceless reports whether no endpoint knows any of the attempts in a block. An
// endpoint can know a block and have lost its receipts.
func (m *Manager) traceless(ctx context.Context, f *flight) bool {
	for _, a := range f.rec.Attempts {
		_, mined, err := m.opt.Backend.TransactionByHash(ctx, a.Hash)
		if mined || err != nil && !errors.Is(err, ethereum.NotFound) {
			return false
		}
	}
	return true
}

// waitingSince is when a transaction was signed last, or when this process took it
// up.
func (m *Manager) waitingSince(f *flight) time.Time {
	if at := f.signed(); at.After(m.lane.started) {
		return at
	}
	return m.lane.started
}

// displaced has a transaction whose nonce is gone done again, once, if anybody
// still wants it.
func (m *Manager) displaced(f *flight, head protocol.Head) {
	m.opt.Health.Set(foreignKey(m), "a transaction that this node did not send used a nonce of the account "+m.self.String())
	m.lane.told.foreignAt = m.opt.Now()
	givenUp := f.cancelling()
	f.foreign, f.rec.State, f.rec.Update = true, protocol.TxDropped, m.opt.Now()
	if !givenUp || f.rec.Code == "" {
		f.rec.Code, f.rec.Reason = fault.ForeignTransaction, fmt.Sprintf("nonce %d was used by another transaction", f.rec.Nonce)
	}
	m.opt.Log.Warn("transaction displaced", "tx", f.view().Hash.String(), "action", f.rec.Call.Verb, "nonce", f.rec.Nonce, "code", string(fault.ForeignTransaction))
	if givenUp || f.rec.Resent || !f.wanted() || expired(f.rec.Until, head) {
		m.fail(f, f.failure())
		return
	}
	f.heir = &request{
		intent: f.meant(), call: f.rec.Call, opt: protocol.SendOptions{Once: f.rec.Once, Until: f.rec.Until, MinGas: f.rec.Gas},
		answers: make(chan reply, 1), heirOf: f, waiters: f.waiters,
	}
	f.waiters = nil
	m.lane.queue = append([]*request{f.heir}, m.lane.queue...)
}

func foreignKey(m *Manager) health.Key {
	return health.Key{Code: fault.ForeignTransaction, About: m.self.String()}
}
