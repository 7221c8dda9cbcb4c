package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/metrics"
	"github.com/tuttinode/tutti/server/orchestrator"
	"github.com/tuttinode/tutti/server/tlscert"
)

// networkVersion is the release of the existing network's node whose wire
// interface this one speaks. Gateways compare it with the minimum they were
// given; tutti's own version would tell them nothing.
const networkVersion = "0.9.1"

// addOrchestrator adds what does the work, and the public listener before it.
func (n *node) addOrchestrator(ctx context.Context) (err error) {
	recorder := n.recorder(metrics.Orchestrator)
	work := n.newAI(ctx)
	if err := n.addPrices(work.models); err != nil {
		return err
	}
	if err := n.addEarning(ctx); err != nil {
		return err
	}
	if n.cfg.Roles.Transcoder || work.wantsMedia() {
		if n.media, err = startMedia(ctx, n, recorder); err != nil {
			return err
		}
		defer func() {
			if err != nil {
				err = errors.Join(err, n.media.Close())
			}
		}()
		n.add(n.media)
	}
	rules, err := orchestrate.New(n.rules(work, recorder))
	if err != nil {
		return err
	}
	n.limiter = limiters{rules}
	if n.cfg.Roles.Transcoder {
		n.limiter = limiters{rules, n.media}
	}
	if work.manager != nil {
		n.add(work.manager)
		if n.metrics != nil {
			if err := n.metrics.WatchModels(metrics.Orchestrator, work.manager.Models); err != nil {
				return fmt.Errorf("register metrics of models: %w", err)
			}
		}
	}
	n.add(rules)
	return n.addListener(rules, work)
}

// rules are the options of the orchestrator's rules.
func (n *node) rules(work *aiWork, recorder core.Recorder) orchestrate.Options {
	can := capability.Default()
	if n.cfg.Roles.Transcoder {
		can = capability.SoftwareTranscoder()
	}
	if n.cfg.Transcoding.HEVCDecoding == config.Off {
		can = can.Without(capability.HEVCDecode)
	}
	offer := capability.Offer(can, networkVersion)
	opt := orchestrate.Options{
		ServiceURI:   n.firstServiceURI(),
		Capabilities: func() capability.Capabilities { return offer },
		Recorder:     recorder,
		Inference:    n.inferenceRecorder(metrics.Orchestrator),
		Limit:        n.cfg.Limits.MaxSessions.N,
		ResultBytes:  int64(n.cfg.Limits.ResultMemory),
		Now:          time.Now,
		Rand:         rand.Reader,
		Log:          n.log,
	}
	if n.cfg.Roles.Transcoder {
		opt.Transcoder, opt.Admitter = n.media, n.media
	}
	if work.manager != nil {
		opt.Worker = work.manager
	}
	if n.media != nil {
		opt.Media = mediaTools{n.media}
	}
	n.pay(&opt)
	return opt
}

// addListener adds the public listener.
func (n *node) addListener(rules *orchestrate.Orchestrator, work *aiWork) error {
	listen := n.cfg.Addresses.OrchestratorListen
	opt := orchestrator.Options{
		Addr: listen.Addr(), Orchestrator: rules,
		Version: version, Roles: n.roles(), Connections: n.connections(), AINotice: work.notice,
		Now: time.Now, Log: n.log, Standing: n.standing(),
	}
	if n.media != nil {
		opt.Frames = mediaTools{n.media}
	}
	if !listen.Plaintext {
		cert, err := tlscert.Open(tlscert.Options{
			CertFile: n.cfg.TLS.Cert, KeyFile: n.cfg.TLS.Key, Dir: n.cfg.Storage.DataDir,
			Host: n.cfg.Addresses.Service.Host, Now: time.Now, Rand: rand.Reader, Log: n.log,
		})
		if err != nil {
			return err
		}
		opt.Cert = cert
	}
	n.addAddress(rules, opt.Cert)
	opt.Seen = n.address.Seen
	server, err := orchestrator.New(opt)
	if err != nil {
		return err
	}
	n.add(server)
	n.add(n.address)
	return nil
}

// connections bounds a public listener; the operator's 0 is no bound.
func (n *node) connections() int {
	if n.cfg.Limits.MaxConnections == 0 {
		return math.MaxInt32
	}
	return n.cfg.Limits.MaxConnections
}

// roles are the node's roles as /status shows them.
func (n *node) roles() []string {
	r := n.cfg.Roles
	out := []string{}
	for _, role := range []struct {
		on   bool
		name string
	}{{r.Orchestrator, "orchestrator"}, {r.Transcoder, "transcoder"}, {r.AIWorker, "aiWorker"}, {r.Gateway, "gateway"}, {r.Redeemer, "redeemer"}} {
		if role.on {
			out = append(out, role.name)
		}
	}
	return out
}

// limiters changes the session limit wherever it is kept.
type limiters []interface{ SetMaxSessions(n int) }

// SetMaxSessions changes the limit; 0 admits by what is measured.
func (l limiters) SetMaxSessions(n int) {
	for _, each := range l {
		each.SetMaxSessions(n)
	}
}
