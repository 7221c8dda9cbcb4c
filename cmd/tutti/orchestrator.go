package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/prices"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/cmd/tutti/internal/release"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/inference/fleet"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/metrics"
	"github.com/tuttinode/tutti/server/orchestrator"
	"github.com/tuttinode/tutti/server/tlscert"
)

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
	defer func() {
		if err != nil && n.media != nil {
			err = errors.Join(err, n.media.Close())
		}
	}()
	if err := n.addWork(ctx, work, recorder); err != nil {
		return err
	}
	rules, err := orchestrate.New(n.rules(work, recorder))
	if err != nil {
		return err
	}
	n.dashboardParts.rules, n.limiter = rules, limiters{rules}
	if n.media != nil {
		n.limiter = limiters{rules, n.media}
		n.watchSessions(metrics.Orchestrator, func() (int, int) { u := rules.Usage(); return u.Sessions, u.Limit })
	}
	if work.manager != nil {
		n.add(work.manager)
		n.dashboardParts.models = work.manager.Models
		if n.metrics != nil {
			if err := n.metrics.WatchModels(metrics.Orchestrator, n.serviceURI(), work.manager.Models); err != nil {
				return fmt.Errorf("register metrics of models: %w", err)
			}
		}
	}
	n.add(rules)
	n.addRankWatcher()
	return n.addListener(rules, work)
}

// addWork adds whoever does the work: devices of this machine, and the doors for those
// of others.
func (n *node) addWork(ctx context.Context, work *aiWork, recorder core.Recorder) error {
	remote := len(workerSecrets(n.cfg)) > 0
	if n.cfg.Roles.Transcoder || remote {
		if err := n.addMedia(ctx, recorder); err != nil {
			return err
		}
	}
	if n.cfg.Roles.AIWorker || remote {
		n.tools = n.mediaFor(metrics.Orchestrator, n.add)
	}
	return n.newWorkerServices()
}

// rules are the options of the orchestrator's rules.
func (n *node) rules(work *aiWork, recorder core.Recorder) orchestrate.Options {
	opt := orchestrate.Options{
		PromptRatio:  int64(n.cfg.AI.PromptRatio),
		ServiceURI:   n.firstServiceURI(),
		Capabilities: n.capabilities(),
		Recorder:     recorder,
		RequestStats: n.questions(),
		Inference:    n.inferenceRecorder(metrics.Orchestrator),
		Limit:        n.cfg.Limits.MaxSessions.N,
		ResultBytes:  int64(n.cfg.Limits.ResultMemory),
		Now:          time.Now,
		Rand:         rand.Reader,
		Log:          n.log,
		TokenSecret:  n.process.Token,
		Board:        n.board,
	}
	if n.media != nil {
		opt.Transcoder, opt.Admitter = n.watched(n.media), n.media
	}
	opt.Worker = n.modelWorker(work)
	if n.tools != nil {
		opt.Media = n.tools
	}
	n.pay(&opt)
	return opt
}

// capabilities is what the node offers at a time: what its devices can do, or on a
// node that transcodes nothing what every node has.
func (n *node) capabilities() func() capability.Capabilities {
	if n.media != nil {
		return n.media.Capabilities
	}
	offer := n.offered(capability.Default())
	return func() capability.Capabilities { return offer }
}

// modelWorker runs AI jobs: the models of this machine, those of others, or both; nil
// for none.
func (n *node) modelWorker(work *aiWork) inference.Worker {
	var members []inference.Worker
	if work.manager != nil {
		members = append(members, work.manager)
	}
	if p := n.aiWorkers(); p != nil {
		var remote inference.Worker = p
		if n.prices != nil && n.prices.Book != nil {
			remote = &prices.Worker{Worker: p, Book: n.prices.Book, Board: n.board}
		}
		members = append(members, remote)
	}
	if len(members) == 0 {
		return nil
	}
	return fleet.New(members...)
}

// addListener adds the public listener.
func (n *node) addListener(rules *orchestrate.Orchestrator, work *aiWork) error {
	listen := n.cfg.Addresses.OrchestratorListen
	opt := orchestrator.Options{
		Addr: listen.Addr(), Orchestrator: rules,
		Version: release.Version, Roles: n.roles(), Connections: n.connections(), PerAddress: n.cfg.Limits.PerAddress,
		Known: n.cfg.Limits.KnownPeers, Scarce: n.files.Refused, AINotice: work.whyNot,
		Stores: n.cfg.Storage.ObjectStoreNetworks,
		Now:    time.Now, Log: n.log, ChainStatus: n.chainStatus(), Listener: n.process.Sockets.Take(process.SocketPublic),
	}
	if n.tools != nil {
		opt.Frames = n.tools
	}
	for _, u := range n.cfg.Addresses.Nodes {
		opt.Nodes = append(opt.Nodes, u.String())
	}
	n.workerServices.register(&opt)
	if !listen.Plaintext {
		cert, err := tlscert.Open(tlscert.Options{
			CertFile: n.cfg.TLS.Cert, KeyFile: n.cfg.TLS.Key, Dir: n.cfg.Storage.DataDir,
			Host: n.cfg.Addresses.Service.Host, Now: time.Now, Rand: rand.Reader, Log: n.log,
		})
		if err != nil {
			return err
		}
		opt.Cert, n.live.cert = cert, cert
	}
	n.addAddress(rules, opt.Cert)
	opt.PeerSeen = n.address.PeerSeen
	server, err := orchestrator.New(opt)
	if err != nil {
		return err
	}
	rules.RestoreHandover(n.process.Inherited())
	n.live.rules, n.live.listener = rules, server
	n.add(server)
	n.workerServices.run(n)
	n.add(n.address)
	return nil
}

// roles are the node's roles as /status shows them.
func (n *node) roles() []string {
	r := n.cfg.Roles
	out := []string{}
	for _, role := range []struct {
		on   bool
		name string
	}{{r.Orchestrator, "orchestrator"}, {r.Transcoder, "transcoder"}, {r.AIWorker, "aiWorker"}, {r.Gateway, "gateway"}, {r.Redeemer, "redeemer"}, {r.Router, "router"}} {
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
