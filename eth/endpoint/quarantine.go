package endpoint

import (
	"time"

	"github.com/tuttinode/tutti/core/protocol"
)

// quarantineTime is how long an endpoint that gave a false answer gets no requests. It is tried again
// afterwards, because providers repair their servers.
const quarantineTime = time.Hour

// quarantine keeps requests from an endpoint for a while. Its newest block is still polled, but does not
// count.
func (p *Pool) quarantine(r *remote, why string) {
	r.mu.Lock()
	r.quarantinedUntil, r.quarantineReason = p.opt.Now().Add(quarantineTime), why
	r.unproven, r.refutations = protocol.Head{}, 0
	r.mu.Unlock()
	if second := p.secondBest(r); second.from != nil {
		p.withdraw(r, second)
	}
	p.report(r)
}

// quarantinedLocked reports whether the endpoint gave a false answer recently.
func (r *remote) quarantinedLocked(now time.Time) bool { return now.Before(r.quarantinedUntil) }

// quarantineFalseHead quarantines an endpoint that leads the others with blocks of its own.
func (p *Pool) quarantineFalseHead(r *remote) *failure {
	const why = "it showed a newest block that the chain does not have"
	p.quarantine(r, why)
	return fail(falseAnswer, r.addr.name, "%s", why)
}
