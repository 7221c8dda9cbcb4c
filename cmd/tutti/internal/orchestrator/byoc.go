package orchestrator

import (
	"crypto/rand"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/server/byoc"
)

// hasCapabilities reports whether external capabilities may register: they need the secret that remote workers
// have.
func (p *Part) hasCapabilities() bool { return p.Workers != nil }

// Capabilities is the server of external capabilities; nil where none may register.
func (p *Part) Capabilities() *byoc.Server { return p.byoc }

// addCapabilities adds what serves external capabilities.
func (p *Part) addCapabilities() {
	if !p.hasCapabilities() {
		return
	}
	opt := byoc.Options{
		Rules: p.Rules, Hub: p.channels, ServiceURI: p.serviceURI(), RunnerHost: p.Config.LiveAI.TrickleHost,
		Authorized: p.Workers.secrets.Match, Lost: p.capabilityLost,
		Now: time.Now, Rand: rand.Reader, Log: p.Log,
	}
	if p.earning != nil {
		opt.Rate = p.rates.Wei
	}
	p.byoc = byoc.New(opt)
	p.Add(p.byoc)
}

// capabilityLost keeps a condition for each external capability whose server did not serve.
func (p *Part) capabilityLost(capability string, err error) {
	p.Board.Report(health.Key{Code: fault.CapabilityLost, About: capability}, err)
}
