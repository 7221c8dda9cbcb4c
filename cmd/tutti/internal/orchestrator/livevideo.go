package orchestrator

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/byoc"
	"github.com/tuttinode/tutti/server/liverunner"
	"github.com/tuttinode/tutti/server/livevideo"
	"github.com/tuttinode/tutti/server/orchestrator"
	"github.com/tuttinode/tutti/server/trickle"
)

// liveParts serve live work.
type liveParts struct {
	// live is nil on a node without live runners.
	live *liverunner.Server
	// managed starts runners; nil where there is none to start.
	managed *managedRunners
	// channels are those of live work; nil on a node without any. liveVideo is nil without models and
	// sample.
	channels  *trickle.Hub
	liveVideo *livevideo.Server
	sample    *livevideo.Sample
	// serverless is nil without a model that a WebSocket server elsewhere serves.
	serverless *livevideo.Serverless
	// byoc serves external capabilities; nil where none may register.
	byoc *byoc.Server
	// paywall takes payment for live work; nil where that is free.
	paywall *orchestrator.Paywall
}

// newChannels makes the channels of live work, and the sample pipeline that works on them.
func (p *Part) newChannels() {
	o := &p.Config.LiveAI
	if !o.Runners() && !p.hasLiveVideo() && !p.Config.AI.Serverless.On && !p.hasCapabilities() {
		return
	}
	p.channels = trickle.NewHub(trickle.Limits{HubBytes: channelMemory()}, time.Now)
	if o.SampleSessions > 0 {
		p.sample = livevideo.NewSample(livevideo.SampleOptions{
			Open: livevideo.HubChannels(p.channels), Media: p.tools, Sessions: o.SampleSessions, Now: time.Now, Log: p.Log,
		})
	}
}

// hasLiveVideo reports whether the node may serve live video: models come and go with their file, and with
// workers of other machines.
func (p *Part) hasLiveVideo() bool {
	return p.models.Manager != nil || p.Config.LiveAI.SampleSessions > 0 || p.Workers != nil
}

// addLive adds what serves live work, and returns what starts runners, if there is any. Sessions end before the workers
// of their models.
func (p *Part) addLive() (managed *managedRunners, err error) {
	switch {
	case p.live != nil:
		p.Add(p.live)
		if managed, err = p.newManaged(p.live); err != nil {
			return nil, err
		}
		if managed != nil {
			p.Add(managed)
		}
	case p.channels != nil:
		p.Add(&channels{p.channels})
	}
	if p.serverless != nil {
		p.Add(p.serverless)
	}
	p.addCapabilities()
	if !p.hasLiveVideo() {
		return managed, nil
	}
	var workers inference.LongWorkers
	if p.models.Manager != nil {
		workers = append(workers, p.models.Manager)
	}
	if p.sample != nil {
		workers = append(workers, p.sample)
	}
	if p.Workers != nil {
		workers = append(workers, p.remoteModels())
	}
	var payments livevideo.Payments
	if p.earning != nil {
		payments = p.newPaywall()
	}
	p.liveVideo = livevideo.New(livevideo.Options{
		Payments: payments, Hub: p.channels, ServiceURI: p.serviceURI(), RunnerHost: p.Config.LiveAI.TrickleHost,
		Workers:  workers,
		Draining: p.Rules.Draining,
		Now:      time.Now, Rand: rand.Reader, Log: p.Log,
	})
	p.Add(p.liveVideo)
	return managed, nil
}

// channels runs the channels of a node without live runners. It is a lifecycle component.
type channels struct{ hub *trickle.Hub }

// Name returns the component's name.
func (c *channels) Name() string { return "live channels" }

// Run closes idle channels until ctx ends.
func (c *channels) Run(ctx context.Context, ready func()) error {
	ready()
	c.hub.Run(ctx)
	return nil
}

// newPaywall makes what takes payment for live work, once.
func (p *Part) newPaywall() *orchestrator.Paywall {
	if p.paywall == nil {
		p.paywall = orchestrator.NewPaywall(p.Rules, process.Version, p.nodes())
	}
	return p.paywall
}
