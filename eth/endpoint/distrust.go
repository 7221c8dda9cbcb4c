package endpoint

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// distrustFor is how long an endpoint is left alone that gave a false answer. It is
// tried again then, because a provider mends its servers.
const distrustFor = time.Hour

// distrust leaves an endpoint alone for a while: nothing is asked of it but its
// newest block, which counts for nothing.
func (p *Pool) distrust(r *remote, why string) {
	r.mu.Lock()
	r.distrustedUntil, r.lie = p.opt.Now().Add(distrustFor), why
	r.unproven, r.refuted = protocol.Head{}, 0
	r.mu.Unlock()
	if second := p.secondBest(r); second.from != nil {
		p.withdraw(r, second)
	}
	p.report(r)
}

// distrusted reports whether the endpoint gave a false answer not long ago; it needs
// mu.
func (r *remote) distrusted(now time.Time) bool { return now.Before(r.distrustedUntil) }

// doubt withdraws a newest head that the other endpoints do not come to. Its endpoint
// leads nobody any more until they have the block.
func (p *Pool) doubt(n protocol.L2Block) {
	p.mu.Lock()
	best := p.best
	p.mu.Unlock()
	if best.from == nil || best.head.Number < n || n == 0 {
		return
	}
	second := p.secondBest(best.from)
	if second.from == nil || second.head.Number >= best.head.Number {
		return
	}
	best.from.leads(best.head, p.opt.Now())
	p.withdraw(best.from, second)
}

// leads notes a newest block that is the endpoint's alone. The first one counts until
// it is held against the others' block.
func (r *remote) leads(head protocol.Head, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.unproven.Hash.IsZero() {
		r.unproven, r.unprovenAt = head, now
	}
}

// proves holds what an endpoint showed alone against the block of that height, when
// the others have one. Until then it leads nobody.
func (p *Pool) proves(ctx context.Context, r *remote, head protocol.Head, second newestHead) *failure {
	r.mu.Lock()
	unproven, since := r.unproven, p.opt.Now().Sub(r.unprovenAt)
	r.mu.Unlock()
	if unproven.Hash.IsZero() || second.from == nil {
		return nil
	}
	if second.head.Number < unproven.Number {
		if since > withdrawAfter {
			return p.exposed(r)
		}
		if head.Number <= second.head.Number {
			return nil
		}
		return fail(behind, r.to.name, "the other endpoints do not have its block %d", unproven.Number)
	}
	block, err := p.header(ctx, unproven.Number)
	if err != nil {
		return fail(behind, r.to.name, "its block %d cannot be held against the other endpoints now", unproven.Number)
	}
	if !sameHead(block, unproven) {
		return p.exposed(r)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unproven = protocol.Head{}
	return nil
}

// exposed names an endpoint that leads the others with blocks of its own.
func (p *Pool) exposed(r *remote) *failure {
	const why = "it showed a newest block that the chain does not have"
	p.distrust(r, why)
	return fail(untrue, r.to.name, "%s", why)
}

// refutations is how often in a row a reorganisation may have replaced the block that
// an endpoint showed before it is held against the others.
const refutations = 3

// What a newest block may differ by from those of the other endpoints, which may be
// as old as a look at them: layer-1 blocks, about five minutes of them beside one for
// each block between the two, and how many times the base fee.
const (
	strangeL1  protocol.L1Block = 25
	strangeFee int64            = 4
)

// strange reports whether most other endpoints have newest blocks with very different
// contents. Such a block may be right, but it is not believed alone.
func (p *Pool) strange(r *remote, head protocol.Head) bool {
	now := p.opt.Now()
	alike, others := 0, 0
	heard := make(map[voice]bool)
	for _, o := range p.remotes {
		if o.to.voice == r.to.voice || heard[o.to.voice] || o.silence(now) > p.opt.StaleAfter {
			continue
		}
		o.mu.Lock()
		if !o.open() && !o.verifiedAt.IsZero() && !o.distrusted(now) && !o.head.Hash.IsZero() {
			others++
			heard[o.to.voice] = true
			if near(head, o.head) {
				alike++
			}
		}
		o.mu.Unlock()
	}
	return others > 0 && 2*alike < others+others%2
}

func near(a, b protocol.Head) bool {
	apart := max(a.L1, b.L1) - min(a.L1, b.L1)
	between := max(a.Number, b.Number) - min(a.Number, b.Number)
	return apart <= strangeL1+protocol.L1Block(between) && !dwarfs(a.BaseFee, b.BaseFee) &&
		!dwarfs(b.BaseFee, a.BaseFee)
}

// dwarfs reports whether one fee is many times another.
func dwarfs(a, b core.Wei) bool {
	most := b
	for range strangeFee - 1 {
		most = most.Add(b)
	}
	return a.Cmp(most) > 0
}

// confirm has the other endpoints bear out a newest block. What they say of it when
// it is not theirs, the vote acts on.
func (p *Pool) confirm(ctx context.Context, r *remote, head protocol.Head) *failure {
	block, err := p.header(ctx, head.Number)
	if err != nil {
		r.leads(head, p.opt.Now())
		return fail(behind, r.to.name, "its newest block %d cannot be held against the other endpoints now",
			head.Number)
	}
	same := sameHead(block, head)
	r.mu.Lock()
	r.refuted++
	if same {
		r.refuted = 0
	}
	often := r.refuted >= refutations
	r.mu.Unlock()
	switch {
	case often:
		return p.exposed(r)
	case !same:
		return fail(untrue, r.to.name, "its newest block %d is another than that of the other endpoints", head.Number)
	}
	return nil
}

// header is the block of a height where a quorum has it soon.
func (p *Pool) header(ctx context.Context, n protocol.L2Block) (protocol.Head, error) {
	q := headerQuestion(n)
	q.proof, q.patience = true, behindRounds
	return agree(ctx, p, q)
}

func sameHead(a, b protocol.Head) bool {
	return a.Hash == b.Hash && a.Parent == b.Parent && a.L1 == b.L1 && a.Time.Equal(b.Time) &&
		a.BaseFee.Cmp(b.BaseFee) == 0
}
