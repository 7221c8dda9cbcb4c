package manager

import (
	"context"
	"sync"
	"time"

	"github.com/tuttinode/tutti/ai/backend"
)

const (
	// probeTimeout is how long a runner may take to say how it is; one that was
	// stopped or hangs shows by it.
	probeTimeout = 5 * time.Second
	// probeInterval is between probes of a runner that works, recheck after one
	// that failed.
	probeInterval = 5 * time.Second
	recheck       = time.Second
	// A runner that is starting is asked often, because the answer is all that
	// stands between it and its first job; ever less often, because loading may
	// take minutes.
	firstProbe = 10 * time.Millisecond
	slowProbe  = 250 * time.Millisecond
)

// pulse is the outcome of a probe.
type pulse struct {
	info  backend.Info
	err   error
	asked time.Time
}

// prober asks one runner at a time, beside whoever waits for other things too.
type prober struct {
	backend backend.Backend
	now     func() time.Time
	results chan pulse
	busy    bool
	cancel  context.CancelFunc
	wg      sync.WaitGroup
}

func newProber(b backend.Backend, now func() time.Time) *prober {
	return &prober{backend: b, now: now, results: make(chan pulse, 1)}
}

// ask begins a probe unless one is under way. Its outcome comes on results; who
// takes it calls taken.
func (p *prober) ask(ctx context.Context) {
	if p.busy {
		return
	}
	ctx, p.cancel = context.WithTimeout(ctx, probeTimeout)
	p.busy = true
	p.wg.Go(func() {
		asked := p.now()
		info, err := p.backend.Probe(ctx)
		p.results <- pulse{info, err, asked}
	})
}

func (p *prober) taken() {
	p.cancel()
	p.busy = false
}

// stop ends a probe that is under way, and lets the connections go.
func (p *prober) stop() {
	if p.busy {
		p.cancel()
	}
	p.wg.Wait()
	p.backend.Close()
}
