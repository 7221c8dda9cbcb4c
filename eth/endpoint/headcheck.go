package endpoint

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// maxLead is how far an endpoint may be ahead of all others before it has to prove that it is on their chain:
// about ten seconds of Arbitrum. Honest endpoints differ by less, although they are polled one after another.
const maxLead protocol.L2Block = 40

// leadsTooFar reports whether a head is too far above the second best to be believed unchecked, or above it and
// older.
func leadsTooFar(head, second protocol.Head) bool {
	return head.Number > second.Number+maxLead || head.Number > second.Number && head.Time.Before(second.Time)
}

// confirmLeap asks a lone endpoint for its newest block once more when that is further above the newest known one than
// a chain can have come since. Without it one false answer would make all true ones "behind" for withdrawAfter.
func (p *Pool) confirmLeap(ctx context.Context, r *remote, head protocol.Head) *failure {
	p.mu.Lock()
	best := p.best
	p.mu.Unlock()
	made := max(p.opt.Now().Sub(best.at), 0) / minBlockTime
	if best.head.Hash.IsZero() || head.Number <= best.head.Number+maxLead+protocol.L2Block(made) {
		return nil
	}
	again, _, f, answer := fetch(ctx, r, r.timeout, r.readHeader, "eth_getBlockByNumber", "latest", false)
	switch {
	case f != nil:
		return f
	case answer != nil:
		return fail(garbage, r.addr.name, "no block: %s", answer.Message)
	case again.Number+maxLead < head.Number:
		return fail(falseAnswer, r.addr.name, "its newest block was %d, and in its next answer %d", head.Number,
			again.Number)
	}
	return nil
}

// withdrawUnconfirmed withdraws a newest head that the other endpoints do not reach. Its endpoint does not
// lead again until they have the block.
func (p *Pool) withdrawUnconfirmed(n protocol.L2Block) {
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
	best.from.recordUnproven(best.head, p.opt.Now())
	p.withdraw(best.from, second)
}

// recordUnproven records a newest block that only this endpoint has. The first one is kept until
// checkUnproven compared it with the others' block.
func (r *remote) recordUnproven(head protocol.Head, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.unproven.Hash.IsZero() {
		r.unproven, r.unprovenAt = head, now
	}
}

// checkUnproven compares the endpoint's unconfirmed block with the block of that height once the others have
// one. Until then the endpoint does not lead.
func (p *Pool) checkUnproven(ctx context.Context, r *remote, head protocol.Head, second newestHead) *failure {
	r.mu.Lock()
	unproven, since := r.unproven, p.opt.Now().Sub(r.unprovenAt)
	r.mu.Unlock()
	if unproven.Hash.IsZero() || second.from == nil {
		return nil
	}
	if second.head.Number < unproven.Number {
		if since > withdrawAfter {
			return p.quarantineFalseHead(r)
		}
		if head.Number <= second.head.Number {
			return nil
		}
		return fail(behind, r.addr.name, "the other endpoints do not have its block %d", unproven.Number)
	}
	block, err := p.quorumHeader(ctx, unproven.Number)
	if err != nil {
		return fail(behind, r.addr.name, "its block %d cannot be held against the other endpoints now", unproven.Number)
	}
	if !sameHead(block, unproven) {
		return p.quarantineFalseHead(r)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unproven = protocol.Head{}
	return nil
}

// maxRefutations is how often in a row a reorg may explain that an endpoint's block was replaced
// before the endpoint is quarantined.
const maxRefutations = 3

// How much a newest block may differ from those of the other endpoints, which may be one poll old: layer-1
// blocks, about five minutes of them plus one for each block between the two, and the factor of the base fee.
const (
	outlierL1  protocol.L1Block = 25
	outlierFee int64            = 4
)

// isOutlier reports whether most other endpoints have newest blocks with very different contents. Such a
// block may be right, but a single endpoint is not enough for it.
func (p *Pool) isOutlier(r *remote, head protocol.Head) bool {
	now := p.opt.Now()
	alike, others := 0, 0
	seen := make(map[provider]bool)
	for _, o := range p.remotes {
		if o.addr.provider == r.addr.provider || seen[o.addr.provider] || o.headAge(now) > p.opt.StaleAfter {
			continue
		}
		o.mu.Lock()
		if !o.open() && !o.verifiedAt.IsZero() && !o.quarantinedLocked(now) && !o.head.Hash.IsZero() {
			others++
			seen[o.addr.provider] = true
			if similarHeads(head, o.head) {
				alike++
			}
		}
		o.mu.Unlock()
	}
	return others > 0 && 2*alike < others+others%2
}

func similarHeads(a, b protocol.Head) bool {
	apart := max(a.L1, b.L1) - min(a.L1, b.L1)
	between := max(a.Number, b.Number) - min(a.Number, b.Number)
	return apart <= outlierL1+protocol.L1Block(between) && !muchLarger(a.BaseFee, b.BaseFee) &&
		!muchLarger(b.BaseFee, a.BaseFee)
}

// muchLarger reports whether one fee is many times another.
func muchLarger(a, b core.Wei) bool {
	most := b
	for range outlierFee - 1 {
		most = most.Add(b)
	}
	return a.Cmp(most) > 0
}

// confirmHead asks the other endpoints to confirm a newest block. A quorum that has another block counts as a
// refutation.
func (p *Pool) confirmHead(ctx context.Context, r *remote, head protocol.Head) *failure {
	block, err := p.quorumHeader(ctx, head.Number)
	if err != nil {
		r.recordUnproven(head, p.opt.Now())
		return fail(behind, r.addr.name, "its newest block %d cannot be held against the other endpoints now",
			head.Number)
	}
	same := sameHead(block, head)
	r.mu.Lock()
	r.refutations++
	if same {
		r.refutations = 0
	}
	often := r.refutations >= maxRefutations
	r.mu.Unlock()
	switch {
	case often:
		return p.quarantineFalseHead(r)
	case !same:
		return fail(falseAnswer, r.addr.name, "its newest block %d differs from that of the other endpoints", head.Number)
	}
	return nil
}

// quorumHeader returns the block of a height, when a quorum has it soon.
func (p *Pool) quorumHeader(ctx context.Context, n protocol.L2Block) (protocol.Head, error) {
	q := headerRead(n)
	q.majority, q.rounds = true, behindRounds
	return readQuorum(ctx, p, q)
}

func sameHead(a, b protocol.Head) bool {
	return a.Hash == b.Hash && a.Parent == b.Parent && a.L1 == b.L1 && a.Time.Equal(b.Time) &&
		a.BaseFee.Cmp(b.BaseFee) == 0
}

// checkLead asks the leading endpoint for the block at the other endpoint's head. A mismatch counts against
// the leader only while the other endpoint still has that block: a reorg may have undone it on both.
func (p *Pool) checkLead(ctx context.Context, r *remote, head protocol.Head, second newestHead) *failure {
	r.mu.Lock()
	trusted := r.leadCheckedAgainst == second.head.Hash
	r.mu.Unlock()
	if trusted && !head.Time.Before(second.head.Time) {
		return nil
	}
	same, f := r.hashAt(ctx, second.head.Number)
	if f != nil {
		return f
	}
	if same == second.head.Hash && head.Time.Before(second.head.Time) {
		return contradicts(r, head, second)
	}
	if same != second.head.Hash {
		now, f := second.from.hashAt(ctx, second.head.Number)
		if f != nil || now != same && now != second.head.Hash {
			return fail(behind, r.addr.name, "its newest block %d cannot be held against the other endpoints now", head.Number)
		}
		if now != same {
			return contradicts(r, head, second)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leadCheckedAgainst = second.head.Hash
	return nil
}

func contradicts(r *remote, head protocol.Head, second newestHead) *failure {
	return fail(contradictory, r.addr.name, "its newest block %d contradicts the other endpoints, which are near %d",
		head.Number, second.head.Number)
}

// hashAt reads the hash of the endpoint's block n. It records no result: the enclosing request does.
func (r *remote) hashAt(ctx context.Context, n protocol.L2Block) (protocol.Hash, *failure) {
	block, _, f, answer := fetch(ctx, r, r.timeout, r.readHeader, "eth_getBlockByNumber", blockTag(n), false)
	switch {
	case f != nil:
		return protocol.Hash{}, f
	case answer != nil:
		return protocol.Hash{}, fail(garbage, r.addr.name, "no block: %s", answer.Message)
	case block.Number != n:
		return protocol.Hash{}, fail(garbage, r.addr.name, "another block than the one asked for")
	}
	return block.Hash, nil
}
