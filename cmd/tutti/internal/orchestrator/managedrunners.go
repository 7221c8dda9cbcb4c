package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/ai/gpuplacement"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	live "github.com/tuttinode/tutti/core/liverunner"
	"github.com/tuttinode/tutti/server/liverunner"
)

const (
	// loadTime is how long a managed runner may take until it is healthy, illTime for how long it may not
	// be later, before it is started again.
	loadTime = 10 * time.Minute
	illTime  = time.Minute
	// startCheck is the interval between health requests to a started runner until it is healthy.
	startCheck = 500 * time.Millisecond
	// claimRetry is between attempts to get GPUs that the node does not have.
	claimRetry = 30 * time.Second
)

// managedRunners starts the programs of live runners and keeps them running. It is a lifecycle component.
type managedRunners struct {
	p       *Part
	server  *liverunner.Server
	runners []*managedRunner
	// checks are those of runners that were started.
	checks sync.WaitGroup
}

// managedRunner is one program.
type managedRunner struct {
	spec live.Spec

	mu sync.Mutex
	// All below is guarded by mu.
	devices []string
	starts  int
	began   time.Time
	// servedAt is when it served last since its start.
	servedAt time.Time
}

// Managed is what the operator sees of a managed runner besides.
type Managed struct {
	Devices  []string
	Restarts int
}

// newManaged makes what runs the programs of the registered runners, nil for none.
func (p *Part) newManaged(server *liverunner.Server) (*managedRunners, error) {
	m := &managedRunners{p: p, server: server}
	for _, r := range server.Runners() {
		if r.Spec.Program == nil {
			continue
		}
		if r.Spec.Program.GPUs > 0 && p.models.Manager == nil {
			return nil, fault.New(fault.LiveRunnersInvalid, "read -liveRunnerConfig",
				fmt.Sprintf("runner %q: gpus needs -aiWorker, which plans the GPUs", r.Spec.Label))
		}
		if err := p.checkContainer(&r.Spec); err != nil {
			return nil, err
		}
		m.runners = append(m.runners, &managedRunner{spec: r.Spec})
	}
	if len(m.runners) == 0 {
		return nil, nil
	}
	return m, nil
}

// Name returns the component's name.
func (*managedRunners) Name() string { return "managed live runners" }

// StopGrace leaves the programs time to end.
func (*managedRunners) StopGrace() time.Duration { return 10 * time.Second }

// Run runs the programs until ctx ends.
func (m *managedRunners) Run(ctx context.Context, ready func()) error {
	ready()
	var all sync.WaitGroup
	for _, r := range m.runners {
		all.Go(func() { m.run(ctx, r) })
	}
	all.Wait()
	m.checks.Wait()
	return nil
}

func (m *managedRunners) key(r *managedRunner) health.Key {
	return health.Key{Code: fault.LiveRunnerExited, About: r.spec.Label}
}

// run gets the runner its GPUs and keeps its program running.
func (m *managedRunners) run(ctx context.Context, r *managedRunner) {
	defer m.p.Board.Clear(m.key(r))
	devices, release := m.claim(ctx, r)
	if release == nil {
		return
	}
	defer release()
	r.mu.Lock()
	r.devices = devices
	r.mu.Unlock()
	o := liverunner.Program{
		Name:    r.spec.Label,
		Started: func() { m.started(ctx, r) },
		Ended: func(err error) {
			m.server.Lose(r.spec.Label, err)
			if ctx.Err() == nil {
				m.p.Board.Report(m.key(r), err)
			}
		},
		Broken: func() error { return r.broken(time.Now(), m.server.Serves(r.spec.Label)) },
		Log:    m.p.Log, Random: rand.Float64,
	}
	if r.spec.Program.Container != nil {
		o.Once = m.containerOf(r, devices, o.Started, o.Broken)
	} else {
		o.Command, o.Env = r.spec.Program.Command, r.environment(devices)
	}
	liverunner.RunProgram(ctx, o)
}

// claim gets the runner's GPUs; release is nil when ctx ended.
func (m *managedRunners) claim(ctx context.Context, r *managedRunner) (devices []string, release func()) {
	want := r.spec.Program
	if want.GPUs == 0 {
		return nil, func() {}
	}
	need := gpuplacement.Need{Devices: want.GPUs, IDs: want.GPUIDs, Takes: gpuplacement.Memory{Bytes: want.MemoryBytes}}
	for ctx.Err() == nil {
		devices, release, err := m.p.models.Manager.ClaimGPUs(ctx, need, func(why error) {
			if why != nil {
				m.p.Board.Report(m.key(r), why)
			}
		})
		if err == nil {
			m.p.Board.Clear(m.key(r))
			return devices, release
		}
		if ctx.Err() == nil {
			m.p.Board.Report(m.key(r), err)
		}
		timer := time.NewTimer(claimRetry)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
	}
	return nil, nil
}

// started asks the runner for its health until it is healthy or has ended.
func (m *managedRunners) started(ctx context.Context, r *managedRunner) {
	r.mu.Lock()
	r.starts++
	start := r.starts
	r.began, r.servedAt = time.Now(), time.Time{}
	r.mu.Unlock()
	m.checks.Go(func() {
		tick := time.NewTicker(startCheck)
		defer tick.Stop()
		for r.current(start) && ctx.Err() == nil {
			m.server.Check(ctx, r.spec.Label)
			if m.server.Serves(r.spec.Label) {
				m.p.Board.Clear(m.key(r))
				return
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
		}
	})
}

func (r *managedRunner) current(start int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.starts == start && time.Since(r.began) < loadTime
}

var (
	errSlowStart = errors.New("it was not healthy in time after its start")
	errIll       = errors.New("it has not been healthy for a minute")
)

// broken returns why a runner that runs has to be started again.
func (r *managedRunner) broken(now time.Time, serves bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case serves:
		r.servedAt = now
	case r.servedAt.IsZero() && now.Sub(r.began) >= loadTime:
		return errSlowStart
	case !r.servedAt.IsZero() && now.Sub(r.servedAt) >= illTime:
		return errIll
	}
	return nil
}

// kept are the variables of the node that its programs get too. Others may hold secrets. Read-only.
var kept = []string{"PATH", "HOME", "LANG", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "SystemRoot"}

// environment is the program's: what is kept, its GPUs and address, and its entry's own.
func (r *managedRunner) environment(devices []string) []string {
	var env []string
	for _, name := range kept {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	gpus := strings.Join(devices, ",")
	env = append(env, "CUDA_DEVICE_ORDER=PCI_BUS_ID", "CUDA_VISIBLE_DEVICES="+gpus, "NVIDIA_VISIBLE_DEVICES="+gpus,
		"RUNNER_URL="+r.spec.URL.String(), "PORT="+r.spec.URL.Port())
	return append(env, r.spec.Program.Env...)
}

// Managed is what is known of a managed runner by its label.
func (p *Part) Managed(label string) (Managed, bool) {
	if p.managed == nil {
		return Managed{}, false
	}
	for _, r := range p.managed.runners {
		if r.spec.Label == label {
			r.mu.Lock()
			defer r.mu.Unlock()
			return Managed{Devices: r.devices, Restarts: max(0, r.starts-1)}, true
		}
	}
	return Managed{}, false
}
