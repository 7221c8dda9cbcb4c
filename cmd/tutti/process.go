package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/pm"
)

// process is what the node is as a process of the system: its sockets, its signals, who
// came before it and who comes after.
type process struct {
	log     *slog.Logger
	manager systemd
	sockets sockets
	// before is the process whose place this one takes, nil for none.
	before *predecessor
	// ahead are its cards, nil without such a process.
	ahead *cardsAhead
	// token is what auth tokens are made with off-chain, the predecessor's where there is
	// one. On the chain the ledger has it.
	token pm.Secret

	signals chan os.Signal
	// handOver closes when a successor stands ready.
	handOver chan struct{}
	reload   *reloader
	drain    *drainer

	mu sync.Mutex
	// All below is guarded by mu. after is the process that takes this one's place.
	after *successor
	// up: every part is ready. halting: they stop. asked: a signal wants the node to end.
	up, upgrading, halting, asked bool
}

// newProcess takes what was handed over, and waits until the process before it, if any,
// has made place. Before that one does, this one finds out whether it would come up, and
// starts what would keep segments waiting.
func newProcess(ctx context.Context, log *slog.Logger, cfg *config.Config) (*process, error) {
	p := &process{
		log: log, manager: systemd{log}, signals: make(chan os.Signal, 4), handOver: make(chan struct{}),
	}
	signal.Notify(p.signals, signals()...)
	var err error
	if p.before, p.sockets, err = inherit(); err != nil {
		return nil, err
	}
	if p.before == nil {
		if p.sockets, err = activated(); err != nil {
			return nil, err
		}
		p.token, err = openTokenSecret(cfg, log)
		return p, err
	}
	if err := usableFiles(cfg); err != nil {
		return nil, err
	}
	p.ahead = startAhead(ctx, cfg, log, p.before.cards)
	log.Info("waiting for the process before to make place", "process", os.Getppid())
	will, err := p.before.await(ctx)
	if err != nil {
		p.ahead.close()
		return nil, err
	}
	p.token = will.Token
	return p, nil
}

// run runs the node until it is asked to stop, fails, or another process takes over.
func (p *process) run(ctx context.Context, n *node, cfg *config.Config) error {
	stops := make(chan os.Signal, 2)
	defer signal.Stop(p.signals)
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	last := &farewell{}
	wg.Go(func() { p.attend(life, stops) })
	err := lifecycle.RunWith(ctx, p.log, lifecycle.Options{
		DrainTimeout: cfg.Limits.DrainTimeout, HandOver: p.handOver, Started: p.started,
		Stopping: func() { last.begun = time.Now(); p.stopping(life, &wg) },
		Drained:  func() { last.segments, last.jobs, last.known = p.drain.inProgress() },
	}, stops, n.components...)
	end()
	wg.Wait()
	if after := p.successor(); after != nil {
		return p.end(ctx, n, after, err)
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

// attend takes signals until ctx ends: stops go to the lifecycle.
func (p *process) attend(ctx context.Context, stops chan<- os.Signal) {
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case sig := <-p.signals:
			switch {
			case sig == syscall.SIGHUP:
				p.reloadNow(ctx)
			case asksUpgrade(sig):
				wg.Go(func() { p.upgradeNow(ctx) })
			default:
				p.ask()
				select {
				case stops <- sig:
				default: // it knows already
				}
			}
		}
	}
}

func (p *process) upgradeNow(ctx context.Context) {
	// What failed is a condition; a refusal is only told.
	if _, err := p.Upgrade(ctx); errors.Is(err, fault.UpgradeRefused) {
		p.log.Warn("no upgrade", fault.Attr(err))
	}
}

// ask notes that the node is to end, so that no other process takes its place.
func (p *process) ask() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = true
}

func (p *process) stopAsked() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// phase is whether every part is ready, and whether they stop or another process takes
// the place.
func (p *process) phase() (up, ends bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.up, p.halting || p.after != nil
}

// Reload reads the configuration anew; see reloader. The service manager is told, but
// not before it was told that the node serves.
func (p *process) Reload(ctx context.Context, dry bool) (adminapi.Reloaded, error) {
	up, ends := p.phase()
	switch {
	case ends:
		return adminapi.Reloaded{}, failedReload(errors.New("the node is stopping, or another process takes its place"))
	case up && !dry:
		p.manager.reloading()
		defer p.manager.ready("configuration read anew")
	}
	return p.reload.Reload(ctx, dry)
}

// proofs are n's; a node that stops or makes place need not prove that it serves.
func (p *process) proofs(n *node) func(context.Context) error {
	return func(ctx context.Context) error {
		if _, ends := p.phase(); ends {
			return nil
		}
		err := n.proofs(ctx)
		if _, ends := p.phase(); ends {
			return nil
		}
		return err
	}
}

// reloadNow: what is wrong is a condition, and so in the log.
func (p *process) reloadNow(ctx context.Context) { _, _ = p.Reload(ctx, false) }

func (p *process) started() {
	p.mu.Lock()
	p.up = true
	p.mu.Unlock()
	if p.before != nil {
		p.before.ready(p.log)
	}
	p.manager.ready("serving")
}

// stopping asks the service manager for time while the stop goes on.
func (p *process) stopping(ctx context.Context, wg *sync.WaitGroup) {
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

// stopTelling is how often the service manager hears that a stop goes on.
const stopTelling = 5 * time.Second

func (p *process) successor() *successor {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.after
}

// estate is what the process before left; whoever takes it keeps it.
func (p *process) estate() orchestrate.Estate {
	if p.before == nil {
		return orchestrate.Estate{}
	}
	left := p.before.will.Estate
	p.before.will.Estate = orchestrate.Estate{}
	return left
}

// status is a line for the service manager.
func (p *process) status() string { return "serving: " + p.drain.text() }

func counted(sessions, jobs int) string {
	return fmt.Sprintf("%d sessions, %d AI jobs", sessions, jobs)
}
