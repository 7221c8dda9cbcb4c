package endpoint

import (
	"time"

	"github.com/tuttinode/tutti/core/protocol"
)

// A height without its block is accepted within bounds: no chain of ours makes blocks faster than
// minBlockTime, and within heightHintTTL the endpoints have the block too, or the height was wrong.
const (
	minBlockTime  = 100 * time.Millisecond
	heightHintTTL = 10 * time.Second
	maxHintLead   = protocol.L2Block(time.Minute / minBlockTime)
)

// heightHint is a height that came from another source than a head, such as a receipt.
type heightHint struct {
	block protocol.L2Block
	until time.Time
}

func (l heightHint) height(now time.Time) protocol.L2Block {
	if now.After(l.until) {
		return 0
	}
	return l.block
}

// learnHeight raises newest for a while. It ignores a height that the chain cannot have reached since its
// newest head was given out.
func (p *Pool) learnHeight(n protocol.L2Block) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.opt.Now()
	since := max(now.Sub(p.best.at), 0)
	lead := min(maxLead+protocol.L2Block(since/minBlockTime), maxHintLead)
	if p.best.head.Hash.IsZero() || n > p.best.head.Number+lead || n <= p.hint.height(now) {
		return
	}
	p.hint = heightHint{block: n, until: now.Add(heightHintTTL)}
}
