package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/gateway/hls"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// Gateway serves clients and players. Make it with New; it is a lifecycle
// component that drains.
type Gateway struct {
	opt Options
	log *slog.Logger
	gatewayNetwork
	windows *hls.Store
	gatewayLimits
	pushes *pushes
	gatewayListener

	// ladder are the renditions of streams that request no others.
	ladder atomic.Pointer[[]core.Profile]
	gatewayLifetime
	gatewayStreams
}

// New makes a gateway. It opens nothing; Run does.
func New(opt Options) (*Gateway, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	if len(opt.Orchestrators) == 0 && opt.OrchestratorHook == "" && opt.Network == nil {
		return nil, fault.New(fault.MissingOption, "make gateway",
			"a gateway needs orchestrators: -orchAddr, -orchWebhookUrl or a chain")
	}
	g := &Gateway{
		opt: opt, log: opt.Log,
		windows: hls.NewStore(opt.Limits.Window),
		pushes:  newPushes(opt.Limits.Pushes),
		gatewayStreams: gatewayStreams{
			streams:        make(map[core.ManifestID]*stream),
			checkedStreams: newKeyShares(opt.Limits.Streams),
			endedUntil:     make(map[core.ManifestID]time.Time),
			published:      make(map[netip.Prefix]int),
		},
	}
	// Off-chain the quickest orchestrator is used, as in the network; where stake and price
	// count, several answers are collected.
	g.discoveryWait = videorouting.DiscoveryWait{
		First:     opt.Routing.DiscoveryTimeout,
		FirstCome: opt.Network == nil,
	}
	g.client = upstream.New(upstream.Options{Payments: opt.Payments, Now: opt.Now, Stores: opt.Stores,
		Events: opt.Events})
	g.hooks = hookClient()
	g.bodies, g.watchers = newBudget(opt.Limits.Bytes), shares(opt.Limits.Watchers)
	g.uncheckedStreams, g.conns = shares(opt.Limits.Streams), newGate(&opt)
	g.handover, g.stopping = admission.NewHandover(), make(chan struct{})
	g.admissions = newAdmissions(g)
	g.downloads = admission.NewDownloads(g.windows.MaxBytes, opt.Now)
	g.buffers.New = func() any { return new(fileBuffer) }
	g.ladder.Store(&g.opt.Profiles)
	g.orchestrators = fixedList(opt.Orchestrators)
	hook := newHookList(opt.OrchestratorHook, opt.OrchestratorHookHeader, g.hooks, opt.Now, opt.Log)
	switch {
	case opt.OrchestratorHook != "" && opt.Network != nil:
		g.orchestrators = namedList{hook, opt.Network}
	case opt.OrchestratorHook != "":
		g.orchestrators = hook
	case opt.Network != nil:
		g.orchestrators = networkList{opt.Network}
	}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	g.handler = g.routes()
	return g, nil
}

// routes returns the gateway's addresses.
func (g *Gateway) routes() http.Handler {
	mux := http.NewServeMux()
	// Pages of other sites must not push into a gateway on a user's loopback.
	mux.Handle(pushPath, http.NewCrossOriginProtection().Handler(http.HandlerFunc(g.servePush)))
	mux.HandleFunc("/stream/{rest...}", g.servePlayer)
	mux.HandleFunc("GET /api/streams", g.serveStreams)
	mux.HandleFunc("GET /api/streams/{id}/events", g.serveEvents)
	mux.HandleFunc("POST /api/streams/{id}/playback", g.servePlayback)
	mux.HandleFunc("GET /healthz", g.serveHealth)
	for _, part := range g.parts() {
		part.Register(mux)
	}
	if g.opt.Page != nil {
		mux.Handle("/", g.opt.Page)
	} else {
		mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
			refuse(w, r, http.StatusNotFound, fault.New(fault.RouteNotFound, "serve", "the gateway has no such address"))
		})
	}
	return boundBodyWait(g.opt.Limits.BodyIdle, mux)
}

// serveHealth reports whether segments are accepted.
func (g *Gateway) serveHealth(w http.ResponseWriter, r *http.Request) {
	if g.pushes.isDraining() {
		refuse(w, r, http.StatusServiceUnavailable, fault.New(fault.Draining, "check health", ""))
	}
}

// Handler returns the gateway's HTTP interface.
func (g *Gateway) Handler() http.Handler { return g.handler }

// Name names the component.
func (g *Gateway) Name() string { return "gateway" }

// StopGrace returns the maximum time that Run takes once its ctx has ended.
func (g *Gateway) StopGrace() time.Duration {
	return shutdownTime + videorouting.RefreshTimeout + 2*time.Second
}

// maxHeader bounds a request's header: a stream's configuration with 64 renditions is a
// quarter as large.
const maxHeader = 64 << 10

// shutdownTime is the grace of requests when the gateway stops.
const shutdownTime = 5 * time.Second

// Drain refuses new segments and returns when those in the gateway are finished and their sessions
// at orchestrators are ended, or when ctx ends. Players are still served.
func (g *Gateway) Drain(ctx context.Context) error {
	ai := make(chan error, 1)
	go func() { ai <- g.drainAI(ctx) }()
	err := g.pushes.drain(ctx)
	if err := errors.Join(err, <-ai); err != nil {
		return err
	}
	// An orchestrator that drains too would wait for these sessions.
	for _, s := range g.liveStreams() {
		g.endAll(s.pool.Close())
	}
	finished := make(chan struct{})
	go func() {
		g.wg.Wait() // bounded: discoveries and session ends have timeouts
		close(finished)
	}()
	select {
	case <-finished:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *Gateway) drainAI(ctx context.Context) error {
	var all errgroup.Group
	for _, part := range g.parts() {
		all.Go(func() error { return part.Drain(ctx) })
	}
	return all.Wait()
}

// parts are those that have addresses of their own.
func (g *Gateway) parts() (out []AI) {
	for _, part := range []AI{g.opt.AI, g.opt.Live} {
		if part != nil {
			out = append(out, part)
		}
	}
	return out
}

// Run serves until ctx ends.
func (g *Gateway) Run(ctx context.Context, ready func()) error {
	parts := g.parts()
	defer func() { g.close(parts) }()
	l := g.opt.Listener
	if l == nil {
		var err error
		if l, err = new(net.ListenConfig).Listen(ctx, "tcp", g.opt.Addr); err != nil {
			return &fault.Fault{Code: fault.ListenFailed, Op: "listen for clients", Detail: g.opt.Addr, Err: err}
		}
	}
	g.handover.SetListener(l)
	srv := &http.Server{
		Handler:           g.handover.Wrap(g.handler, requestKind),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(g.log.Handler(), slog.LevelDebug),
	}
	g.conns.Server(srv, nil)
	g.http = srv
	served := make(chan error, 1)
	go func() { served <- srv.Serve(g.conns.Listener(l)) }()
	g.log.Info("gateway serves clients", "addr", l.Addr().String())
	ready()

	sweep := time.NewTicker(g.opt.Limits.SweepEvery)
	defer sweep.Stop()
	for {
		select {
		case <-sweep.C:
			g.sweep(g.opt.Now())
			g.reportSeveralEncoders(g.opt.Now())
		case err := <-served:
			if !g.handover.Released() {
				return fmt.Errorf("serve clients: %w", err)
			}
			<-ctx.Done()
			parts = g.retire()
			return nil
		case <-ctx.Done():
			if g.handover.Released() { // both may have happened at once
				<-served
				parts = g.retire()
				return nil
			}
			return g.shutdown(ctx, srv, served)
		}
	}
}

// shutdown gives requests a grace period and then ends them.
func (g *Gateway) shutdown(ctx context.Context, srv *http.Server, served <-chan error) error {
	g.stop()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	err := srv.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		g.log.Warn("requests were aborted at shutdown", "after", shutdownTime)
		err = srv.Close()
		// Requests that are still in the gateway end with its context.
		g.cancel()
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		err = errors.Join(err, g.pushes.drain(late))
	}
	<-served
	return err
}

// stop ends event streams and refuses new pushes.
func (g *Gateway) stop() {
	g.stopOnce.Do(func() {
		done, cancel := context.WithCancel(context.Background())
		cancel()
		// This only starts to refuse; requests have their grace period later.
		_ = g.pushes.drain(done)
		_ = g.drainAI(done)
		close(g.stopping)
	})
}

// Close ends all streams and their background work, and waits for it. Run calls it; it is for
// callers that use only Handler. No request may be in flight.
func (g *Gateway) Close() { g.close(g.parts()) }

// retire ends what another process has taken over, and returns the parts that end with it: answers of models go on.
func (g *Gateway) retire() (end []AI) {
	g.stop()
	g.conns.CloseIdle()
	g.retiring.Go(func() {
		within, cancel := context.WithTimeout(context.Background(), shutdownTime)
		defer cancel()
		_ = g.http.Shutdown(within) // answers that take longer end their connections themselves
	})
	if g.opt.Live != nil {
		end = append(end, g.opt.Live)
	}
	return end
}

func (g *Gateway) close(parts []AI) {
	g.stop()
	g.mu.Lock()
	streams := g.streams
	g.streams = make(map[core.ManifestID]*stream)
	for _, s := range streams {
		g.releaseStreamLocked(s)
	}
	g.mu.Unlock()
	for _, s := range streams {
		g.endStream(s)
	}
	g.cancel()
	g.wg.Wait()
	for _, part := range parts {
		part.Close()
	}
	g.client.Close()
	g.hooks.CloseIdleConnections()
}
