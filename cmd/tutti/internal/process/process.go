package process

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/liverunner"
)

// Process is what the node is as a process of the system: its sockets, its signals, its
// predecessor and its successor.
type Process struct {
	log     *slog.Logger
	manager systemd
	Sockets sockets
	// before is the process whose place this one takes, nil for none.
	before *predecessor
	// Token is what auth tokens are made with off-chain, the predecessor's where there is
	// one. On the chain the ledger has it.
	Token pm.Secret

	signals *Signals
	// handOver closes when a successor stands ready.
	handOver chan struct{}
	// node and drain are set by attach, before the process runs.
	node  *Parts
	drain *drainer

	mu sync.Mutex
	// All below is guarded by mu. after is the process that takes this one's place.
	after *successor
	// up: every part is ready. halting: they stop. asked: a signal wants the node to end.
	up, upgrading, halting, asked bool
}

// New takes what was handed over, and waits until the old process, if any,
// has made place. Before that one does, this one finds out whether it would come up, and
// starts what would keep segments waiting: prepare gets what that process found of its GPUs.
func New(
	ctx context.Context, log *slog.Logger, cfg *config.Config, signals *Signals,
	prepare func(ctx context.Context, cards string) error,
) (*Process, error) {
	p := &Process{log: log, manager: systemd{log}, signals: signals, handOver: make(chan struct{})}
	notify(signals.stops, stopSignals)
	var err error
	if p.before, p.Sockets, err = inherit(); err != nil {
		return nil, err
	}
	if p.before == nil {
		if p.Sockets, err = activated(); err != nil {
			return nil, err
		}
		p.Token, err = openTokenSecret(cfg, log)
		return p, err
	}
	if err := prepare(ctx, p.before.cards); err != nil {
		return nil, err
	}
	log.Info("waiting for the old process to finish", "process", os.Getppid())
	state, err := p.before.await(ctx)
	if err != nil {
		return nil, err
	}
	p.Token = state.Token
	return p, nil
}

// Run runs the node until it is asked to stop, fails, or another process takes over.
func (p *Process) Run(ctx context.Context, components []lifecycle.Component, drainTimeout time.Duration) error {
	stops := make(chan os.Signal, 2)
	defer p.signals.end()
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	last := &farewell{}
	wg.Go(func() { p.attend(life, stops) })
	err := lifecycle.RunWith(ctx, p.log, lifecycle.Options{
		DrainTimeout: drainTimeout, HandOverSignal: p.handOver, Started: p.started,
		Stopping: func() { last.begun = time.Now(); p.stopping(life, &wg) },
		Drained:  func() { last.segments, last.jobs, last.known = p.drain.inProgress() },
	}, stops, components...)
	end()
	wg.Wait()
	if after := p.successor(); after != nil {
		return p.end(ctx, after, err)
	}
	if err == nil {
		last.log(p.log, time.Now())
	}
	return err
}

// farewell is the last line of the log of a stop that was asked for. Only the goroutine of
// process.run uses it.
type farewell struct {
	begun time.Time
	// segments and jobs were in progress when the drain was over; known on an orchestrator.
	segments, jobs int
	known          bool
}

func (f *farewell) log(log *slog.Logger, now time.Time) {
	attrs := []slog.Attr{slog.Duration("took", now.Sub(f.begun).Round(time.Millisecond))}
	if f.known {
		attrs = append(attrs, slog.Int("segments_lost", f.segments), slog.Int("jobs_lost", f.jobs))
	}
	log.LogAttrs(context.Background(), slog.LevelInfo, "stopped", attrs...)
}

// attend takes signals until ctx ends: stops go to the lifecycle, and do not wait for a reload.
func (p *Process) attend(ctx context.Context, stops chan<- os.Signal) {
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { p.attendReloads(ctx) })
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.signals.upgrades:
			wg.Go(func() { p.upgradeNow(ctx) })
		case sig := <-p.signals.stops:
			p.ask()
			select {
			case stops <- sig:
			default: // it knows already
			}
		}
	}
}

// attendReloads reads the configuration again for each signal, one after another.
func (p *Process) attendReloads(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.signals.reloads:
			p.reloadNow(ctx)
		}
	}
}

func (p *Process) upgradeNow(ctx context.Context) {
	// What failed is a condition; a refusal is only reported.
	if _, err := p.Upgrade(ctx); errors.Is(err, fault.UpgradeRefused) {
		p.log.Warn("no upgrade", fault.Attr(err))
	}
}

// ask notes that the node is to end, so that no other process takes its place.
func (p *Process) ask() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = true
}

func (p *Process) stopAsked() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// phase is whether every part is ready, and whether they stop or another process takes
// the place.
func (p *Process) phase() (up, ends bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.up, p.halting || p.after != nil
}

// Reload reads the configuration again; see reloader. The service manager is notified, but
// not before it was notified that the node serves.
func (p *Process) Reload(ctx context.Context, dry bool) (adminapi.Reloaded, error) {
	up, ends := p.phase()
	switch {
	case ends:
		return adminapi.Reloaded{}, ReloadFault(errors.New("the node is stopping, or another process takes its place"))
	case up && !dry:
		p.manager.reloading()
		defer p.manager.ready("configuration read again")
	}
	return p.node.Reload(ctx, dry)
}

// proofs are the node's; one that stops or is being replaced need not prove that it serves.
func (p *Process) proofs(ctx context.Context) error {
	if _, ends := p.phase(); ends {
		return nil
	}
	err := p.node.Prove(ctx)
	if _, ends := p.phase(); ends {
		return nil
	}
	return err
}

// reloadNow: what is wrong is a condition, and so in the log.
func (p *Process) reloadNow(ctx context.Context) { _, _ = p.Reload(ctx, false) }

func (p *Process) started() {
	p.mu.Lock()
	p.up = true
	p.mu.Unlock()
	if p.before != nil {
		p.before.ready(p.log, p.node)
	}
	p.manager.ready("serving")
}

// stopping asks the service manager for time while the stop goes on.
func (p *Process) stopping(ctx context.Context, wg *sync.WaitGroup) {
	p.mu.Lock()
	goesOn := p.after != nil
	p.halting = true
	p.mu.Unlock()
	p.drain.stops()
	if goesOn {
		alive := p.manager.keepAlive(ctx)
		wg.Go(func() {
			<-ctx.Done()
			alive()
		})
		return
	}
	p.manager.stopping()
	if left := p.drain.left(); !left.none() {
		p.log.Info("the stop waits for work in progress", "left", left.text())
	}
	wg.Go(func() {
		tick := time.NewTicker(stopTelling)
		defer tick.Stop()
		for {
			p.manager.extend(stopTelling, "draining: "+p.drain.text())
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	})
}

// stopTelling is how often the service manager is notified that a stop goes on.
const stopTelling = 5 * time.Second

func (p *Process) successor() *successor {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.after
}

// Inherited returns what the old process left; the caller keeps it.
func (p *Process) Inherited() orchestrate.HandoverState {
	if p.before == nil {
		return orchestrate.HandoverState{}
	}
	left := p.before.state.Orchestrator
	p.before.state.Orchestrator = orchestrate.HandoverState{}
	return left
}

// InheritedLive returns the live sessions that the old process left, nil for none.
func (p *Process) InheritedLive() *liverunner.State {
	if p.before == nil {
		return nil
	}
	left := p.before.state.Live
	p.before.state.Live = nil
	return left
}

// status returns a line for the service manager.
func (p *Process) status() string { return "serving: " + p.drain.text() }
