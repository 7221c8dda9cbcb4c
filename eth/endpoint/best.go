package endpoint

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/protocol"
)

// maxLead is how far an endpoint may be ahead of all others before it has to
// prove that it is on their chain: about ten seconds of Arbitrum, which is more
// than honest endpoints differ by when they are looked at in turn.
const maxLead protocol.L2Block = 40

// withdrawAfter is how long a head stays the newest that no endpoint comes near.
const withdrawAfter = time.Minute

// newestHead is the newest head that was given out. It never falls, but for a
// head that turns out to have been wrong.
type newestHead struct {
	head protocol.Head
	// from is who showed it.
	from *remote
	// at is when it was given out.
	at time.Time
	// proven: its endpoint was held against another one when it showed it.
	proven bool
	// strayedAt is since when every endpoint that was asked is far below it; zero
	// while one comes near.
	strayedAt time.Time
}

// offer takes an endpoint's head as the newest one if it is.
//
// An endpoint that leads all others absurdly must not decide what is newest,
// because its height would make every other one "behind". A head that leads the
// second best by more than maxLead, or that is older than it, counts only when its
// endpoint is found to be on the same chain.
func (p *Pool) offer(ctx context.Context, r *remote, head protocol.Head) *failure {
	r.mu.Lock()
	distrusted := r.distrusted(p.opt.Now())
	r.mu.Unlock()
	if distrusted {
		return nil
	}
	second := p.secondBest(r)
	if f := p.proves(ctx, r, head, second); f != nil {
		return f
	}
	if p.strange(r, head) {
		if f := p.confirm(ctx, r, head); f != nil {
			return f
		}
	}
	if second.from != nil && (head.Number > second.head.Number+maxLead || head.Number > second.head.Number && head.Time.Before(second.head.Time)) {
		if f := p.agree(ctx, r, head, second); f != nil {
			if f.kind == astray {
				p.withdraw(r, second)
			}
			return f
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	lost := p.lost(head)
	if lost {
		p.opt.Log.Warn("newest block withdrawn: no endpoint comes near it", "block", p.best.head.Number, "newest", head.Number)
	}
	if lost || head.Number > p.best.head.Number || p.best.head.Hash.IsZero() {
		p.crown(newestHead{head: head, from: r, proven: second.from != nil})
	}
	return nil
}

// lost reports whether the newest head is to be given up for one far below it. A
// head that another endpoint bore out is waited for; one that a single endpoint
// showed counts no longer than that endpoint works. It needs mu.
func (p *Pool) lost(offered protocol.Head) bool {
	now := p.opt.Now()
	if offered.Number+maxLead >= p.best.head.Number {
		p.best.strayedAt = time.Time{}
		return false
	}
	if p.best.strayedAt.IsZero() {
		p.best.strayedAt = now
	}
	return !p.best.proven && p.best.from.gone() || now.Sub(p.best.strayedAt) > withdrawAfter
}

// crown gives out a new newest head. It needs mu.
func (p *Pool) crown(next newestHead) {
	if next.head.Number < p.best.head.Number {
		p.learnt = learnt{}
	}
	next.at = p.opt.Now()
	p.best = next
	p.publish(next.head)
}

// secondBest is the highest head of the endpoints of other hosts that work. One whose head
// stands still is no measure for the others.
func (p *Pool) secondBest(not *remote) newestHead {
	var best newestHead
	now := p.opt.Now()
	for _, r := range p.remotes {
		if r.to.voice == not.to.voice || r.silence(now) > p.opt.StaleAfter {
			continue
		}
		r.mu.Lock()
		if !r.open() && !r.verifiedAt.IsZero() && !r.distrusted(now) && r.head.Number > best.head.Number {
			best = newestHead{head: r.head, from: r}
		}
		r.mu.Unlock()
	}
	return best
}

// withdraw takes back a newest head that r alone stood for.
func (p *Pool) withdraw(r *remote, second newestHead) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.best.from != r || p.best.head.Number <= second.head.Number {
		return
	}
	p.opt.Log.Warn("newest block withdrawn: its endpoint contradicts the others", "block", p.best.head.Number, "newest", second.head.Number)
	p.crown(second)
}

// newest is the height that an answer about the present must have seen.
func (p *Pool) newest() protocol.L2Block {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(p.best.head.Number, p.learnt.height(p.opt.Now()))
}

// gone is down for who does not hold mu.
func (r *remote) gone() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.down()
}
