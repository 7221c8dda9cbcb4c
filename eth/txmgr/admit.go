package txmgr

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/journal"
)

// admit gives a request its place in the lane: nonce, price, signature, journal,
// and off it goes.
func (m *Manager) admit(ctx context.Context, r *request, head protocol.Head) verdict {
	if len(m.lane.open()) >= m.opt.InFlight || m.unwritten() || head.Hash.IsZero() {
		return holds
	}
	var missing error
	offer, nonce, err := m.terms(ctx, head)
	if err != nil {
		m.lane.due(m.opt.Now().Add(retryAfter))
		return holds
	}
	if !offer.fits {
		return holds
	}
	if v := m.rehearse(ctx, r); v != free {
		return v
	}
	offer.feeCap, missing, err = m.checkFunds(ctx, r, offer.fees, head.BaseFee)
	if missing != nil {
		m.refuse(r, missing)
		return served
	}
	if err != nil {
		m.lane.due(m.opt.Now().Add(retryAfter))
		return holds
	}
	if !r.claim() {
		return served
	}
	f := &flight{prefer: -1, intent: r.intent, rec: journal.Record{
		ID: m.lane.lastID + 1, Nonce: nonce, Once: r.opt.Once, Until: r.opt.Until, Call: r.call, Gas: r.limit,
		State: protocol.TxSubmitted, Resent: r.heirOf != nil, Sent: m.opt.Now(), Update: m.opt.Now(),
	}}
	if err := m.sign(f, offer.fees, false); err != nil {
		m.refuse(r, err)
		r.inPlace()
		return served
	}
	m.launch(ctx, f, r)
	return served
}

// launch puts a signed transaction into the lane, the journal and the network, in
// this order.
func (m *Manager) launch(ctx context.Context, f *flight, r *request) {
	r.id.Store(f.rec.ID)
	f.waiters = []*request{r}
	if r.heirOf != nil {
		f.heirOf, f.waiters = r.heirOf, r.waiters
		for _, w := range f.waiters {
			w.id.Store(f.rec.ID)
		}
	}
	m.lane.add(f)
	m.publish()
	r.inPlace()
	if m.write(ctx, f) {
		m.broadcast(ctx, f)
	}
}

// inPlace lets a caller go that left while the request was signed.
func (r *request) inPlace() {
	if r.placed != nil {
		close(r.placed)
	}
}

// unwritten reports whether a transaction waits for the journal: none is made
// behind it.
func (m *Manager) unwritten() bool {
	for _, f := range m.lane.flights {
		if f.dirty {
			return true
		}
	}
	return false
}

// staleAfter is how long what a simulation said is believed.
const staleAfter = time.Minute

// rehearse tries out once more what waited for long, for a lower price maybe, and
// what is sent for the second time: whoever took the nonce may have done the same.
func (m *Manager) rehearse(ctx context.Context, r *request) verdict {
	if m.opt.Now().Sub(r.tried) < staleAfter {
		return free
	}
	gas, refused, err := m.simulate(ctx, r.intent, r.call, r.opt.Gas)
	switch {
	case refused != nil:
		m.refuse(r, refused)
		return served
	case err != nil:
		m.lane.due(m.opt.Now().Add(retryAfter))
		return holds
	}
	r.gas, r.tried = gas, m.opt.Now()
	return free
}

// priced are fees, and whether the operator's bound allows them at this moment.
type priced struct {
	fees
	fits bool
}

// terms are the fees and the nonce of the next transaction.
func (m *Manager) terms(ctx context.Context, head protocol.Head) (priced, uint64, error) {
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

// nonce is the next free one. What the journal knows is never given again, even if
// an endpoint that lags behind has not seen it yet; what endpoints know beyond it
// are transactions of somebody else.
func (m *Manager) nonce(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, m.opt.CallTimeout)
	defer cancel()
	pending, err := m.opt.Backend.PendingNonceAt(ctx, m.account())
	return max(pending, m.lane.nextNonce), err
}
