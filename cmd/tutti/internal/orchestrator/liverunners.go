package orchestrator

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	live "github.com/tuttinode/tutti/core/liverunner"
	"github.com/tuttinode/tutti/server/liverunner"
	"github.com/tuttinode/tutti/transcoder/worker/sandbox"
)

// newLive makes the server of live runners, nil on a node without the feature. The runners of a file
// are checked once before the node takes work.
func (p *Part) newLive(ctx context.Context) (*liverunner.Server, error) {
	o := &p.Config.LiveAI
	if !o.Runners() {
		return nil, nil
	}
	opt := liverunner.Options{
		ServiceURI: p.serviceURI(), InternalURI: o.RunnerAddr, ProxyURL: o.RunnerProxy, Healthy: p.liveRunnerHealth,
		Full: p.liveRunnerFull, Further: p.furtherOffers(),
		Idle: o.RunnerIdle, Hub: p.channels, Requests: liveRequests(p.Connections()),
		Now: time.Now, Rand: rand.Reader, Log: p.Log,
	}
	if p.earning != nil {
		opt.Payments, opt.Rate, opt.Priced = p.newPaywall(), p.rates.Wei, p.liveRunnerPrice
	}
	if o.UseRunners {
		opt.Secret = p.Config.Addresses.OrchSecret.Reveal()
	}
	s, err := liverunner.New(opt)
	if err != nil {
		return nil, fault.Wrap(fault.LiveRunnersInvalid, "read -liveRunnerProxyUrl", err)
	}
	if left := p.Process.InheritedLive(); left != nil {
		s.Restore(*left)
	}
	if o.RunnerConfig == "" {
		return s, nil
	}
	data, err := os.ReadFile(o.RunnerConfig)
	if err == nil {
		err = s.RegisterStatic(ctx, data)
	}
	if err != nil {
		return nil, fault.Wrap(fault.LiveRunnersInvalid, "read -liveRunnerConfig", err)
	}
	return s, nil
}

// channelMemory is what the channels of all sessions may keep: a quarter of the memory that this process
// may use, of the machine or of its container; 0 where the system does not say.
func channelMemory() int64 {
	all, _ := sandbox.MachineMemory("/")
	return all / 4
}

// liveRequests bounds the requests of live work on a listener with so many connections. A quarter of the
// connections is left to all else.
func liveRequests(connections int) int { return max(1, connections/4*3) }

// liveRunnerHealth keeps a condition for each live runner that does not serve.
func (p *Part) liveRunnerHealth(r live.Runner, healthy bool, err error) {
	key := health.Key{Code: fault.LiveRunnerUnhealthy, About: r.Spec.Label}
	if r.Dynamic {
		key = health.Key{Code: fault.LiveRunnerLost, About: r.ID}
	}
	byTLS := health.Key{Code: fault.RunnerTLS, About: r.Spec.Label}
	switch {
	case healthy:
		p.Board.Clear(key)
		p.Board.Clear(byTLS)
	case fault.CodeOf(err) == fault.RunnerTLS:
		p.Board.Report(byTLS, err)
		p.Board.Clear(key)
	default:
		p.Board.Report(key, err)
		p.Board.Clear(byTLS)
	}
}

// liveRunnerFull keeps a condition for each live runner that refuses sessions for lack of slots.
func (p *Part) liveRunnerFull(r live.Runner, full bool) {
	key := health.Key{Code: fault.LiveRunnerFull, About: cmp.Or(r.Spec.Label, r.ID)}
	if full {
		p.Board.Set(key, fmt.Sprintf("all %d slots are taken", r.Spec.Capacity))
		return
	}
	p.Board.Clear(key)
}

// Live is the server of live runners; nil on a node without them.
func (p *Part) Live() *liverunner.Server { return p.live }

// liveRunnerPrice keeps a condition for each live runner without a price.
func (p *Part) liveRunnerPrice(r live.Runner, err error) {
	about := r.Spec.Label
	if about == "" {
		about = r.ID
	}
	p.Board.Report(health.Key{Code: fault.LiveRunnerPriceUnavailable, About: about}, err)
}

// LiveRunners registers live runners; nil on a node that serves none.
func (p *Part) LiveRunners() http.HandlerFunc {
	if p == nil || p.live == nil {
		return nil
	}
	return p.live.Register
}
