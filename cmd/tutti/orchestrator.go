package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/earning"
	"github.com/tuttinode/tutti/cmd/tutti/internal/modelserver"
	"github.com/tuttinode/tutti/cmd/tutti/internal/peers"
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
	recorder := n.Recorder(metrics.Orchestrator)
	work := modelserver.New(ctx, n.Env, n.media)
	n.ai = work
	if err := n.addPrices(work.Models); err != nil {
		return err
	}
	if n.chain != nil {
		if n.earning, err = earning.New(ctx, n.Env, n.chain, n.prices.Book); err != nil {
			return err
		}
	}
	defer func() {
		if err != nil {
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
	if n.media.Pool != nil {
		n.limiter = limiters{rules, n.media.Pool}
		n.WatchSessions(metrics.Orchestrator, func() (int, int) { u := rules.Usage(); return u.Sessions, u.Limit })
	}
	if work.Manager != nil {
		n.Add(work.Manager)
		n.dashboardParts.models = work.Manager.Models
		if n.Metrics != nil {
			if err := n.Metrics.WatchModels(metrics.Orchestrator, n.serviceURI(), work.Manager.Models); err != nil {
				return fmt.Errorf("register metrics of models: %w", err)
			}
		}
	}
	n.Add(rules)
	n.addRankWatcher()
	return n.addListener(rules, work)
}

// addWork adds whoever does the work: devices of this machine, and the doors for those
// of others.
func (n *node) addWork(ctx context.Context, work *modelserver.Part, recorder core.Recorder) error {
	remote := len(peers.Secrets(n.Config)) > 0
	if n.Config.Roles.Transcoder || remote {
		if err := n.media.AddPool(ctx, recorder); err != nil {
			return err
		}
	}
	if n.Config.Roles.AIWorker || remote {
		n.tools = n.media.Tools(metrics.Orchestrator, n.Add)
	}
	return n.newWorkerServices()
}

// rules are the options of the orchestrator's rules.
func (n *node) rules(work *modelserver.Part, recorder core.Recorder) orchestrate.Options {
	opt := orchestrate.Options{
		PromptRatio:  int64(n.Config.AI.PromptRatio),
		ServiceURI:   n.firstServiceURI(),
		Capabilities: n.capabilities(),
		Recorder:     recorder,
		RequestStats: n.questions(),
		Inference:    n.Inference(metrics.Orchestrator),
		Limit:        n.Config.Limits.MaxSessions.N,
		ResultBytes:  int64(n.Config.Limits.ResultMemory),
		Now:          time.Now,
		Rand:         rand.Reader,
		Log:          n.Log,
		TokenSecret:  n.Process.Token,
		Board:        n.Board,
	}
	if n.media.Pool != nil {
		opt.Transcoder, opt.Admitter = n.media.Transcoder(), n.media.Pool
	}
	opt.Worker = n.modelWorker(work)
	if n.tools != nil {
		opt.Media = n.tools
	}
	n.earning.Pay(&opt)
	return opt
}

// capabilities is what the node offers at a time: what its devices can do, or on a
// node that transcodes nothing what every node has.
func (n *node) capabilities() func() capability.Capabilities {
	if n.media.Pool != nil {
		return n.media.Pool.Capabilities
	}
	offer := n.media.Offered(capability.Default())
	return func() capability.Capabilities { return offer }
}

// modelWorker runs AI jobs: the models of this machine, those of others, or both; nil
// for none.
func (n *node) modelWorker(work *modelserver.Part) inference.Worker {
	var members []inference.Worker
	if work.Manager != nil {
		members = append(members, work.Manager)
	}
	if p := n.aiWorkers(); p != nil {
		var remote inference.Worker = p
		if n.prices != nil && n.prices.Book != nil {
			remote = &prices.Worker{Worker: p, Book: n.prices.Book, Board: n.Board}
		}
		members = append(members, remote)
	}
	if len(members) == 0 {
		return nil
	}
	return fleet.New(members...)
}

// addListener adds the public listener.
func (n *node) addListener(rules *orchestrate.Orchestrator, work *modelserver.Part) error {
	listen := n.Config.Addresses.OrchestratorListen
	opt := orchestrator.Options{
		Addr: listen.Addr(), Orchestrator: rules,
		Version: release.Version, Roles: n.Roles(), Connections: n.Connections(), PerAddress: n.Config.Limits.PerAddress,
		Known: n.Config.Limits.KnownPeers, Scarce: n.Files.Refused, AINotice: work.Notice,
		Stores: n.Config.Storage.ObjectStoreNetworks,
		Now:    time.Now, Log: n.Log, Standing: n.chain.Status(n.Config), Listener: n.Process.Sockets.Take(process.SocketPublic),
	}
	if n.tools != nil {
		opt.Frames = n.tools
	}
	for _, u := range n.Config.Addresses.Nodes {
		opt.Nodes = append(opt.Nodes, u.String())
	}
	n.workerServices.register(&opt)
	if !listen.Plaintext {
		cert, err := tlscert.Open(tlscert.Options{
			CertFile: n.Config.TLS.Cert, KeyFile: n.Config.TLS.Key, Dir: n.Config.Storage.DataDir,
			Host: n.Config.Addresses.Service.Host, Now: time.Now, Rand: rand.Reader, Log: n.Log,
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
	rules.RestoreHandover(n.Process.Inherited())
	n.live.rules, n.live.listener = rules, server
	n.Add(server)
	n.workerServices.run(n)
	n.Add(n.address)
	return nil
}

// limiters changes the session limit wherever it is kept.
type limiters []interface{ SetMaxSessions(n int) }

// SetMaxSessions changes the limit; 0 admits by what is measured.
func (l limiters) SetMaxSessions(n int) {
	for _, each := range l {
		each.SetMaxSessions(n)
	}
}
