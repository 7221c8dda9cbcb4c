package orchestrator

import (
	"context"
	"crypto/rand"
	"net/http"
	"os"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	live "github.com/tuttinode/tutti/core/liverunner"
	"github.com/tuttinode/tutti/server/liverunner"
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
		Idle: o.RunnerIdle,
		Now:  time.Now, Rand: rand.Reader, Log: p.Log,
	}
	if o.UseRunners {
		opt.Secret = p.Config.Addresses.OrchSecret.Reveal()
	}
	s, err := liverunner.New(opt)
	if err != nil {
		return nil, fault.Wrap(fault.LiveRunnersInvalid, "read -liveRunnerProxyUrl", err)
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

// liveRunnerHealth keeps a condition for each live runner that does not serve.
func (p *Part) liveRunnerHealth(r live.Runner, healthy bool, err error) {
	key := health.Key{Code: fault.LiveRunnerUnhealthy, About: r.Spec.Label}
	if r.Dynamic {
		key = health.Key{Code: fault.LiveRunnerLost, About: r.ID}
	}
	if healthy {
		err = nil
	}
	p.Board.Report(key, err)
}

// LiveRunners registers live runners; nil on a node that serves none.
func (p *Part) LiveRunners() http.HandlerFunc {
	if p == nil || p.live == nil {
		return nil
	}
	return p.live.Register
}
