package endpoint

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/protocol"
)

// maxLead is how far an endpoint may be ahead of all others before it has to
// prove that it is on their chain: about four minutes of Arbitrum.
const maxLead protocol.L2Block = 1000

// withdrawAfter is how long a head stays the newest that no endpoint comes near.
const withdrawAfter = time.Minute

// newestHead is the newest head that was given out. It never falls, but for a
// head that turns out to have been wrong.
type newestHead struct {
	head protocol.Head
	// from is who showed it.
	from *remote
	// learnt is a height that came in another way, such as a receipt's.
	learnt protocol.L2Block
	// strayedAt is since when every endpoint that was asked is far below it; zero
	// while one comes near.
	strayedAt time.Time
}

// offer takes an endpoint's head as the newest one if it is.
//
// An endpoint that leads all others absurdly must not decide what is newest,
// because its height would make every other one "behind". A head that leads the
// second best by more than maxLead counts only when its endpoint has the same
// block where the second best has its head, and the later time.
func (p *Pool) offer(ctx context.Context, r *remote, head protocol.Head) *failure {
	second, ok := p.secondBest(r)
	if ok && head.Number > second.Number+maxLead {
		if f := r.agrees(ctx, head, second); f != nil {
			if f.kind == astray {
				p.withdraw(r, second)
			}
			return f
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.opt.Now()
	if head.Number+maxLead >= p.best.head.Number {
		p.best.strayedAt = time.Time{}
	} else if p.best.strayedAt.IsZero() {
		p.best.strayedAt = now
	}
	lost := !p.best.strayedAt.IsZero() && now.Sub(p.best.strayedAt) > withdrawAfter
	if head.Number > p.best.head.Number || p.best.head.Hash.IsZero() || lost {
		if lost {
			p.opt.Log.Warn("newest block withdrawn: no endpoint comes near it", "block", p.best.head.Number, "newest", head.Number)
			p.best = newestHead{}
		}
		p.best.head, p.best.from = head, r
		p.publish(head)
	}
	return nil
}

// agrees asks the endpoint that leads for the block where the other has its head.
func (r *remote) agrees(ctx context.Context, head, other protocol.Head) *failure {
	r.mu.Lock()
	trusted := r.trustedOver == other.Hash
	r.mu.Unlock()
	if trusted {
		return nil
	}
	same, err := ask(ctx, r, r.timeout, r.readHeader, "eth_getBlockByNumber", blockTag(other.Number), false)
	if f, ok := err.(*failure); ok {
		return f
	}
	if err != nil || same.Hash != other.Hash || head.Time.Before(other.Time) {
		f := fail(astray, r.to.name, "its newest block %d contradicts the other endpoints, which are near %d", head.Number, other.Number)
		r.settleWith(f, 0)
		return f
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trustedOver = other.Hash
	return nil
}

// secondBest is the highest head of the other endpoints that work.
func (p *Pool) secondBest(not *remote) (protocol.Head, bool) {
	var best protocol.Head
	for _, r := range p.remotes {
		if r == not {
			continue
		}
		r.mu.Lock()
		if !r.open() && !r.verifiedAt.IsZero() && r.head.Number > best.Number {
			best = r.head
		}
		r.mu.Unlock()
	}
	return best, !best.Hash.IsZero()
}

// withdraw takes back a newest head that r alone stood for.
func (p *Pool) withdraw(r *remote, second protocol.Head) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.best.from != r || p.best.head.Number <= second.Number+maxLead {
		return
	}
	p.opt.Log.Warn("newest block withdrawn: its endpoint contradicts the others", "block", p.best.head.Number, "newest", second.Number)
	p.best = newestHead{head: second}
	p.publish(second)
}

// newest is the height that an answer about the present must have seen.
func (p *Pool) newest() protocol.L2Block {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(p.best.head.Number, p.best.learnt)
}

// learn raises what newest says; an absurd height is not believed.
func (p *Pool) learn(n protocol.L2Block) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.best.head.Hash.IsZero() && n <= p.best.head.Number+maxLead {
		p.best.learnt = max(p.best.learnt, n)
	}
}
