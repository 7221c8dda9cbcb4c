package txmgr

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/protocol"
)

// admit gives a request its nonce, price and signature, writes it to the journal and sends it.
func (m *Manager) admit(ctx context.Context, r *request, head protocol.Head) decision {
	if len(m.nonces.open()) >= m.opt.InFlight || m.unwritten() || head.Hash.IsZero() {
		return blocks
	}
	var missing error
	offer, nonce, err := m.quote(ctx, head)
	if err != nil {
		m.nonces.due(m.opt.Now().Add(retryAfter))
		return blocks
	}
	if !offer.fits {
		return blocks
	}
	if v := m.resimulate(ctx, r); v != sendable {
		return v
	}
	offer.feeCap, missing, err = m.checkFunds(ctx, r, offer.fees, head.BaseFee)
	if missing != nil {
		m.refuse(r, missing)
		return answered
	}
	if err != nil {
		m.nonces.due(m.opt.Now().Add(retryAfter))
		return blocks
	}
	if !r.claim() {
		return answered
	}
	f := &pendingTx{prefer: -1, intent: r.intent, rec: Record{
		ID: m.nonces.lastID + 1, Nonce: nonce, Once: r.opt.Once, Until: r.opt.Until, Call: r.call, Gas: r.limit,
		State: protocol.TxSubmitted, Resent: r.resendOf != nil, Sent: m.opt.Now(), Update: m.opt.Now(),
	}}
	if err := m.sign(f, offer.fees, false); err != nil {
		m.refuse(r, err)
		r.markIDKnown()
		return answered
	}
	m.launch(ctx, f, r)
	return answered
}

// launch puts a signed transaction into the nonce queue, the journal and the network, in this order.
func (m *Manager) launch(ctx context.Context, f *pendingTx, r *request) {
	r.id.Store(f.rec.ID)
	f.waiters = []*request{r}
	if r.resendOf != nil {
		f.resendOf, f.waiters = r.resendOf, r.waiters
		for _, w := range f.waiters {
			w.id.Store(f.rec.ID)
		}
	}
	m.nonces.add(f)
	m.publish()
	r.markIDKnown()
	if m.write(ctx, f) {
		m.broadcast(ctx, f)
	}
}

// markIDKnown releases a caller that left while the request was signed.
func (r *request) markIDKnown() {
	if r.idKnown != nil {
		close(r.idKnown)
	}
}

// unwritten reports whether a transaction waits for the journal: no other is signed behind it.
func (m *Manager) unwritten() bool {
	for _, f := range m.nonces.pending {
		if f.dirty {
			return true
		}
	}
	return false
}

// staleAfter is how long a simulation is valid.
const staleAfter = time.Minute

// resimulate simulates again what waited for long, perhaps for a lower price, and what is sent for the second
// time: the foreign transaction with the nonce may have done the same.
func (m *Manager) resimulate(ctx context.Context, r *request) decision {
	if m.opt.Now().Sub(r.simulatedAt) < staleAfter {
		return sendable
	}
	gas, refused, err := m.simulate(ctx, r.intent, r.call, r.opt.Gas)
	switch {
	case refused != nil:
		m.refuse(r, refused)
		return answered
	case err != nil:
		m.nonces.due(m.opt.Now().Add(retryAfter))
		return blocks
	}
	r.gas, r.simulatedAt = gas, m.opt.Now()
	return sendable
}

// priced are fees, and whether the operator's bound allows them now.
type priced struct {
	fees
	fits bool
}

// quote returns the fees and the nonce of the next transaction.
func (m *Manager) quote(ctx context.Context, head protocol.Head) (priced, uint64, error) {
	tip, err := m.suggest(ctx)
	if err != nil {
		return priced{}, 0, err
	}
	offer, fits := m.bounds().offer(head.BaseFee, tip)
	if !fits {
		return priced{}, 0, nil
	}
	nonce, err := m.nonce(ctx)
	return priced{offer, true}, nonce, err
}
