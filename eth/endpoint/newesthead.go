package endpoint

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/protocol"
)

// withdrawAfter is how long a head stays the newest one although no endpoint comes near it.
const withdrawAfter = time.Minute

// newestHead is the newest head given out. Its number falls only when the head proved wrong.
type newestHead struct {
	head protocol.Head
	// from is the endpoint that reported it.
	from *remote
	// at is when it was given out.
	at time.Time
	// proven: its endpoint was compared with another one at that time.
	proven bool
	// strayedAt is since when every polled endpoint is far below it; zero while one comes near.
	strayedAt time.Time
}

// offerHead makes an endpoint's head the newest one if it is.
//
// A wrong leading endpoint must not decide what is newest, because its height would make every other one
// "behind". A head that leadsTooFar counts only after checkLead found its endpoint on the same chain.
func (p *Pool) offerHead(ctx context.Context, r *remote, head protocol.Head) *failure {
	r.mu.Lock()
	distrusted := r.quarantinedLocked(p.opt.Now())
	r.mu.Unlock()
	if distrusted {
		return nil
	}
	second := p.secondBest(r)
	if f := p.checkUnproven(ctx, r, head, second); f != nil {
		return f
	}
	if p.isOutlier(r, head) {
		if f := p.confirmHead(ctx, r, head); f != nil {
			return f
		}
	}
	if second.from != nil && leadsTooFar(head, second.head) {
		if f := p.checkLead(ctx, r, head, second); f != nil {
			if f.kind == contradictory {
				p.withdraw(r, second)
			}
			return f
		}
	}
	if second.from == nil {
		if f := p.confirmLeap(ctx, r, head); f != nil {
			return f
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	lost := p.headLostLocked(head)
	if lost {
		p.opt.Log.Warn("newest block withdrawn: no endpoint comes near it", "block", p.best.head.Number, "newest",
			head.Number)
	}
	if lost || head.Number > p.best.head.Number || p.best.head.Hash.IsZero() {
		p.setNewestLocked(newestHead{head: head, from: r, proven: second.from != nil})
	}
	return nil
}

// headLostLocked reports whether the newest head has to be withdrawn for one far below it. A head that
// another endpoint confirmed is waited for; one that a single endpoint reported counts only while that
// endpoint works.
func (p *Pool) headLostLocked(offered protocol.Head) bool {
	now := p.opt.Now()
	if offered.Number+maxLead >= p.best.head.Number {
		p.best.strayedAt = time.Time{}
		return false
	}
	if p.best.strayedAt.IsZero() {
		p.best.strayedAt = now
	}
	return !p.best.proven && p.best.from.isDown() || now.Sub(p.best.strayedAt) > withdrawAfter
}

// setNewestLocked gives out a new newest head.
func (p *Pool) setNewestLocked(next newestHead) {
	if next.head.Number < p.best.head.Number {
		p.hint = heightHint{}
	}
	next.at = p.opt.Now()
	p.best = next
	p.publishLocked(next.head)
}

// secondBest returns the highest head among the working endpoints of other providers. An endpoint whose head does
// not advance is no measure for the others.
func (p *Pool) secondBest(not *remote) newestHead {
	var best newestHead
	now := p.opt.Now()
	for _, r := range p.remotes {
		if r.addr.provider == not.addr.provider || r.headAge(now) > p.opt.StaleAfter {
			continue
		}
		r.mu.Lock()
		if !r.open() && !r.verifiedAt.IsZero() && !r.quarantinedLocked(now) && r.head.Number > best.head.Number {
			best = newestHead{head: r.head, from: r}
		}
		r.mu.Unlock()
	}
	return best
}

// withdraw replaces a newest head that only r reported.
func (p *Pool) withdraw(r *remote, second newestHead) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.best.from != r || p.best.head.Number <= second.head.Number {
		return
	}
	p.opt.Log.Warn("newest block withdrawn: its endpoint contradicts the others", "block", p.best.head.Number, "newest",
		second.head.Number)
	p.setNewestLocked(second)
}

// newest returns the height that an answer about the present must have seen.
func (p *Pool) newest() protocol.L2Block {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(p.best.head.Number, p.hint.height(p.opt.Now()))
}

// isDown is downLocked for callers without the lock.
func (r *remote) isDown() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.downLocked()
}
