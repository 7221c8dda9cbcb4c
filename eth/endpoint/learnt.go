package endpoint

import (
	"time"

	"github.com/tuttinode/tutti/core/protocol"
)

// A height that came without its block is believed within bounds: no chain of
// ours makes blocks faster than perBlock, and within learntFor the endpoints
// have it too, or it was wrong.
const (
	perBlock    = 100 * time.Millisecond
	learntFor   = 10 * time.Second
	largestLead = protocol.L2Block(time.Minute / perBlock)
)

// learnt is a height that came in another way than as a head, such as a receipt's.
type learnt struct {
	block protocol.L2Block
	until time.Time
}

func (l learnt) height(now time.Time) protocol.L2Block {
	if now.After(l.until) {
		return 0
	}
	return l.block
}

// learn raises what newest says for a while. A height that the chain cannot have
// come to since its newest head was given out is not believed.
func (p *Pool) learn(n protocol.L2Block) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.opt.Now()
	since := max(now.Sub(p.best.at), 0)
	lead := min(maxLead+protocol.L2Block(since/perBlock), largestLead)
	if p.best.head.Hash.IsZero() || n > p.best.head.Number+lead || n <= p.learnt.height(now) {
		return
	}
	p.learnt = learnt{block: n, until: now.Add(learntFor)}
}
