package orchestrator

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/chain"
	"github.com/tuttinode/tutti/cmd/tutti/internal/media"
	"github.com/tuttinode/tutti/cmd/tutti/internal/modelserver"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/cmd/tutti/internal/prices"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/pricing"
	"github.com/tuttinode/tutti/core/requeststats"
	"github.com/tuttinode/tutti/server/metrics"
	"github.com/tuttinode/tutti/server/orchestrator"
	"github.com/tuttinode/tutti/server/tlscert"
)

// Options are what the orchestrator shares with the node's other roles.
type Options struct {
	Env *nodeenv.Env
	// Chain, Book and Earning are nil off-chain, where nothing has a price.
	Chain   *chain.Part
	Book    *pricing.Book
	Earning *Earning
	// Rates converts prices; nil where there is no price feed.
	Rates  *pricing.Rates
	Media  *media.Part
	Models *modelserver.Part
	// GatewayHook is nil where every gateway is served.
	GatewayHook *orchestrator.GatewayHook
}

// Part is the orchestrator of the node.
type Part struct {
	*nodeenv.Env
	// Rules decide which jobs are taken, Server is the public listener.
	Rules  *orchestrate.Orchestrator
	Server *orchestrator.Server
	// Cert is nil where another server ends TLS.
	Cert *tlscert.Source
	// Workers is nil where no worker of another machine may register.
	Workers *Workers
	// Address checks how the node is reached.
	Address *orchestrator.Reachability
	// Requests is what gateways asked for.
	Requests *requeststats.Counter
	chain    *chain.Part
	book     *pricing.Book
	earning  *Earning
	rates    *pricing.Rates
	media    *media.Part
	models   *modelserver.Part
	// remote is what remoteModels made.
	remote inference.Worker
	liveParts
	// tools is nil where no AI job needs them.
	tools media.Tools
	// rank is the orchestrator's in the pool, as it was read last.
	rank atomic.Pointer[doctor.PoolRank]
}

// New adds the devices and models that do the work, the rules and the public listener.
func New(ctx context.Context, o Options) (p *Part, err error) {
	p = &Part{
		Env: o.Env, chain: o.Chain, book: o.Book, earning: o.Earning, rates: o.Rates, media: o.Media, models: o.Models,
		Requests: requeststats.New(time.Now),
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, o.Media.Close())
		}
	}()
	recorder := p.Recorder(metrics.Orchestrator)
	if err := p.addWork(ctx, recorder); err != nil {
		return nil, err
	}
	p.newChannels()
	rules := p.rules(recorder)
	if o.GatewayHook != nil {
		rules.GatewayHook = o.GatewayHook
	}
	if p.Rules, err = orchestrate.New(rules); err != nil {
		return nil, err
	}
	if p.media.Pool != nil {
		p.WatchSessions(metrics.Orchestrator, func() (int, int) { u := p.Rules.Usage(); return u.Sessions, u.Limit })
	}
	if manager := p.models.Manager; manager != nil {
		p.Add(manager)
		if p.Metrics != nil {
			if err := p.Metrics.WatchModels(metrics.Orchestrator, p.serviceURI(), manager.Models); err != nil {
				return nil, fmt.Errorf("register metrics of models: %w", err)
			}
		}
	}
	p.Add(p.Rules)
	if p.chain != nil {
		p.Add(&rankWatcher{p})
	}
	if err = p.newServerless(); err != nil {
		return nil, err
	}
	if p.live, err = p.newLive(ctx); err != nil {
		return nil, err
	}
	if p.managed, err = p.addLive(); err != nil {
		return nil, err
	}
	if err := p.addListener(); err != nil {
		return nil, err
	}
	return p, nil
}

// Rank returns the orchestrator's in the pool as it was read last; nil before, and on other nodes.
func (p *Part) Rank() *doctor.PoolRank {
	if p == nil {
		return nil
	}
	return p.rank.Load()
}

// SetMaxSessions changes the limit of sessions; 0 admits by what is measured.
func (p *Part) SetMaxSessions(n int) {
	p.Rules.SetMaxSessions(n)
	if p.media.Pool != nil {
		p.media.Pool.SetMaxSessions(n)
	}
}

// addWork adds the devices of this machine, and the services for those of others.
func (p *Part) addWork(ctx context.Context, recorder core.Recorder) error {
	remote := len(nodeenv.Secrets(p.Config)) > 0
	if p.Config.Roles.Transcoder || remote {
		if err := p.media.AddPool(ctx, recorder); err != nil {
			return err
		}
	}
	if p.Config.Roles.AIWorker || remote || p.Config.LiveAI.SampleSessions > 0 {
		p.tools = p.media.Tools(metrics.Orchestrator, p.Add)
	}
	return p.newWorkers()
}

// rules returns the options of the orchestrator's rules.
func (p *Part) rules(recorder core.Recorder) orchestrate.Options {
	opt := orchestrate.Options{
		PromptRatio:  int64(p.Config.AI.PromptRatio),
		ServiceURI:   p.serviceURI(),
		Capabilities: p.capabilities(),
		Recorder:     recorder,
		RequestStats: p.Requests,
		Inference:    p.Inference(metrics.Orchestrator),
		Limit:        p.Config.Limits.MaxSessions.N,
		ResultBytes:  nodeenv.ResultMemory(p.Config), ArtifactBytes: nodeenv.Memory(orchestrate.DefaultArtifactBytes),
		Now:          time.Now,
		Rand:         rand.Reader,
		Log:          p.Log,
		TokenSecret:  p.Process.Token,
		Board:        p.Board,
		LiveWork:     p.Config.LiveAI.Runners(),
		LiveInterval: p.Config.LiveAI.PaymentInterval,
	}
	if p.media.Pool != nil {
		opt.Transcoder, opt.Admitter = p.media.Transcoder(), p.media.Pool
	}
	opt.Worker = p.modelWorker()
	if p.tools != nil {
		opt.Media = p.tools
	}
	p.earning.Pay(&opt)
	return opt
}

// capabilities returns what the node offers at a time: what its devices can do, or on a
// node that transcodes nothing what every node has.
func (p *Part) capabilities() func() capability.Capabilities {
	if p.media.Pool != nil {
		return p.media.Pool.Capabilities
	}
	offer := p.media.Offered(capability.Default())
	return func() capability.Capabilities { return offer }
}

// modelWorker runs AI jobs: the models of this machine, those of others, or both; nil
// for none.
func (p *Part) modelWorker() inference.Worker {
	var members []inference.Worker
	if p.models.Manager != nil {
		members = append(members, p.models.Manager)
	}
	if p.Workers != nil {
		members = append(members, p.remoteModels())
	}
	if p.sample != nil {
		members = append(members, p.sample)
	}
	if len(members) == 0 {
		return nil
	}
	return inference.NewFleet(members...)
}

// remoteModels are the models of other machines; on a chain those that have a price.
func (p *Part) remoteModels() inference.Worker {
	if p.remote == nil {
		p.remote = p.Workers.AI
		if p.book != nil {
			p.remote = &prices.Worker{Worker: p.Workers.AI, Book: p.book, Board: p.Board}
		}
	}
	return p.remote
}

// nodes are the service addresses of the operator's other orchestrators.
func (p *Part) nodes() (list []string) {
	for _, u := range p.Config.Addresses.Nodes {
		list = append(list, u.String())
	}
	return list
}

// addListener adds the public listener.
func (p *Part) addListener() error {
	listen := p.Config.Addresses.OrchestratorListen
	opt := orchestrator.Options{
		Addr: listen.Addr(), Orchestrator: p.Rules,
		Version: process.Version, Roles: p.Roles(), Connections: p.Connections(), PerAddress: p.Config.Limits.PerAddress,
		Known: p.Config.Limits.KnownPeers, Scarce: p.Files.Refused, AINotice: p.models.Notice,
		Stores: p.Config.Storage.ObjectStoreNetworks, UploadBytes: nodeenv.Memory(orchestrator.DefaultUploadBytes),
		Spools:    nodeenv.Spools(p.Config.Storage.DataDir),
		TextBytes: int64(p.Config.AI.BodyLimit), FileBytes: max(orchestrator.DefaultFileBytes, int64(p.Config.AI.BodyLimit)),
		Now: time.Now, Log: p.Log, ChainStatus: p.chain.Status(p.Config),
		Listener: p.Process.Sockets.Take(process.SocketPublic), Live: p.live,
		LiveVideo: p.liveVideo, Channels: p.channels, Capabilities: p.byoc, Paywall: p.newPaywall(), Nodes: p.nodes(),
		Serverless: p.serverless, Tracer: p.Tracer,
	}
	if p.tools != nil {
		opt.Frames = p.tools
	}
	p.Workers.register(&opt)
	if !listen.Plaintext {
		cert, err := tlscert.Open(tlscert.Options{
			CertFile: p.Config.TLS.Cert, KeyFile: p.Config.TLS.Key, Dir: p.Config.Storage.DataDir,
			Host: p.Config.Addresses.Service.Host, Now: time.Now, Rand: rand.Reader, Log: p.Log,
		})
		if err != nil {
			return err
		}
		opt.Cert, p.Cert = cert, cert
	}
	p.addAddress(opt.Cert)
	opt.PeerSeen = p.Address.PeerSeen
	server, err := orchestrator.New(opt)
	if err != nil {
		return err
	}
	p.Rules.RestoreHandover(p.Process.Inherited())
	p.Server = server
	p.Add(server)
	p.Workers.run(p.Env)
	p.Add(p.Address)
	return nil
}
