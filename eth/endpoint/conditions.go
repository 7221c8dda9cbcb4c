package endpoint

import (
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// staleLag is how many blocks behind the newest is a condition: about a minute.
const staleLag = 240

// Causes says which conditions ChainUnavailable explains, for health.New: its text
// names the reason of every endpoint. A wrong address keeps its own condition,
// because its remedy is another one.
func Causes() map[fault.Code][]fault.Code {
	return map[fault.Code][]fault.Code{fault.ChainUnavailable: {
		fault.RPCUnreachable, fault.RPCTimeout, fault.RPCGarbage, fault.RPCRateLimited, fault.RPCStale,
	}}
}

// report sets or clears the condition of one endpoint, and of them all.
func (p *Pool) report(r *remote) {
	if p.opt.Board == nil {
		return
	}
	p.reporting.Lock()
	defer p.reporting.Unlock()
	code, detail := p.trouble(r)
	key := health.Key{Code: code, About: r.to.name}
	p.mu.Lock()
	old, was := p.shown[r.to.name]
	if code == "" {
		delete(p.shown, r.to.name)
	} else {
		p.shown[r.to.name] = key
	}
	p.mu.Unlock()
	p.reportAll()
	if was && old != key {
		p.opt.Board.Clear(old)
	}
	if code != "" {
		p.opt.Board.Set(key, detail)
	}
}

// trouble is what is wrong with an endpoint for longer than a moment, or "".
// Details hold no figures that change, because a change is logged.
func (p *Pool) trouble(r *remote) (fault.Code, string) {
	newest := p.newest()
	now := p.opt.Now()
	silent := r.silence(now)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.distrusted(now):
		return fault.RPCContradicted, r.lie
	case r.down():
		return codes[r.last.kind], r.last.detail
	case r.open() || r.verifiedAt.IsZero():
		return "", ""
	case lag(newest, r.heightSeen) > staleLag:
		return fault.RPCStale, "its newest block is more than a minute behind that of the other endpoints"
	case silent > p.opt.StaleAfter:
		return fault.RPCStale, "its newest block has not changed for more than " + p.opt.StaleAfter.Round(time.Second).String()
	}
	return "", ""
}

// reportAll sets ChainUnavailable when every endpoint was tried and none works.
func (p *Pool) reportAll() {
	var reasons []string
	for _, r := range p.remotes {
		r.mu.Lock()
		last := r.last
		if r.distrusted(p.opt.Now()) {
			last = fail(untrue, r.to.name, "%s", r.lie)
		}
		works := !r.tried || !r.down() && !r.distrusted(p.opt.Now())
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

// forget clears what a pool that no longer runs cannot tell.
func (p *Pool) forget() {
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
