package redeemer

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/protocol"
)

const (
	// maxValidity is more rounds than governance gives tickets; it keeps sums of rounds from wrapping around.
	maxValidity protocol.Round = 1000
	// validityEvery is after what time the validity is read again within a round: a false answer for which several
	// endpoints stood is corrected while the tickets can still be redeemed.
	validityEvery = 10 * time.Minute
)

// validity is for how many rounds a ticket can be redeemed. Tickets end by it, so a change counts when it was read
// twice. Redeemer.mu guards it.
type validity struct {
	// rounds is 0 while nothing was read; round is the one in which it was read last.
	rounds, round protocol.Round
	// unconfirmed is a different answer that was not confirmed.
	unconfirmed protocol.Round
	next        time.Time
	reading     bool
}

// due reports whether it is to be read.
func (v *validity) due(now time.Time, round protocol.Round) bool {
	return !v.reading && (!now.Before(v.next) || v.round != round)
}

// take records an answer, and reports whether the validity changed.
func (v *validity) take(n, round protocol.Round, now time.Time, retry time.Duration) (changed bool) {
	v.round = round
	switch {
	case n == 0 || n > maxValidity:
		v.next = now.Add(retry)
	case n == v.rounds || n == v.unconfirmed || v.rounds == 0:
		changed = v.rounds != n
		v.rounds, v.unconfirmed, v.next = n, 0, now.Add(validityEvery)
	default:
		v.unconfirmed, v.next = n, now.Add(retry)
	}
	return changed
}

// refreshValidityLocked reads for how many rounds tickets are valid, in every round and now and then. After a change
// the ended tickets are reviewed again.
func (r *Redeemer) refreshValidityLocked(ctx context.Context, m *snapshot) {
	if !r.validity.due(m.now, m.view.Round.Number) {
		return
	}
	r.validity.reading = true
	r.steps.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, r.opt.StepTimeout)
		defer cancel()
		p, err := r.opt.Chain.Parameters(ctx)
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.validity.reading = false; err != nil {
			return
		}
		if r.validity.take(p.TicketValidity, m.view.Round.Number, r.opt.Now(), r.opt.Retry) {
			r.reviewedRound = 0
		}
		r.wakeLoop()
	})
}

func (r *Redeemer) validityNow() protocol.Round {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.validity.rounds
}
