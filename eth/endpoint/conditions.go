package endpoint

import (
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// report sets or clears the conditions of one endpoint and of all endpoints together.
func (p *Pool) report(r *remote) {
	if p.opt.Board == nil {
		return
	}
	p.reporting.Lock()
	defer p.reporting.Unlock()
	code, detail := p.conditionOf(r)
	key := health.Key{Code: code, About: r.addr.name}
	p.mu.Lock()
	old, was := p.shown[r.addr.name]
	if code == "" {
		delete(p.shown, r.addr.name)
	} else {
		p.shown[r.addr.name] = key
	}
	p.mu.Unlock()
	p.reportAllDown()
	if was && old != key {
		p.opt.Board.Clear(old)
	}
	if code != "" {
		p.opt.Board.Set(key, detail)
	}
}

// conditionOf returns the lasting problem of an endpoint, "" for none. Details contain no changing figures,
// because a changed detail is logged.
func (p *Pool) conditionOf(r *remote) (fault.Code, string) {
	newest := p.newest()
	now := p.opt.Now()
	silent := r.headAge(now)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.quarantinedLocked(now):
		return fault.RPCContradicted, r.quarantineReason
	case r.downLocked():
		return codes[r.last.kind], r.last.detail
	case r.open() || r.verifiedAt.IsZero():
		return "", ""
	case lagging(newest, r.lastHeight):
		return fault.RPCStale, "its newest block is more than a minute behind that of the other endpoints"
	case p.silentTooLong(silent):
		return fault.RPCStale, "its newest block has not changed for more than " +
			p.opt.StaleAfter.Round(time.Second).String()
	}
	return "", ""
}

// reportAllDown sets ChainUnavailable when every endpoint was tried and none works.
func (p *Pool) reportAllDown() {
	var reasons []string
	for _, r := range p.remotes {
		r.mu.Lock()
		last := r.last
		if r.quarantinedLocked(p.opt.Now()) {
			last = fail(falseAnswer, r.addr.name, "%s", r.quarantineReason)
		}
		works := !r.tried || !r.downLocked() && !r.quarantinedLocked(p.opt.Now())
		r.mu.Unlock()
		if works {
			p.opt.Board.Clear(health.Key{Code: fault.ChainUnavailable})
			return
		}
		if last != nil {
			reasons = append(reasons, last.Error())
		}
	}
	if len(reasons) > 0 {
		p.opt.Board.Set(health.Key{Code: fault.ChainUnavailable}, strings.Join(reasons, "; "))
	}
}

// clearConditions clears all conditions of a pool that stops: it cannot update them any more.
func (p *Pool) clearConditions() {
	if p.opt.Board == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, key := range p.shown {
		p.opt.Board.Clear(key)
	}
	clear(p.shown)
	p.opt.Board.Clear(health.Key{Code: fault.ChainUnavailable})
	p.opt.Board.Clear(health.Key{Code: fault.ChainDisputed})
}
