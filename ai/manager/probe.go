package manager

import (
	"context"
	"sync"
	"time"

	"github.com/tuttinode/tutti/ai/backend"
)

const (
	// probeTimeout bounds a probe; it detects runners that hang.
	probeTimeout = 5 * time.Second
	// probeInterval is the interval for a ready runner, recheck the wait after a failed
	// probe.
	probeInterval = 5 * time.Second
	recheck       = time.Second
	// A starting runner is probed often, because its first job waits for it, then less
	// and less often, because loading may take minutes.
	firstProbe = 10 * time.Millisecond
	slowProbe  = 250 * time.Millisecond
)

// probeResult is the result of a probe.
type probeResult struct {
	info  backend.Info
	err   error
	asked time.Time
}

// prober sends one probe at a time in its own goroutine, so that its caller can select on
// other events too.
type prober struct {
	backend backend.Backend
	now     func() time.Time
	results chan probeResult
	busy    bool
	cancel  context.CancelFunc
	wg      sync.WaitGroup
}

func newProber(b backend.Backend, now func() time.Time) *prober {
	return &prober{backend: b, now: now, results: make(chan probeResult, 1)}
}

// ask begins a probe unless one is in progress. The receiver of its result on results
// calls finish.
func (p *prober) ask(ctx context.Context) {
	if p.busy {
		return
	}
	ctx, p.cancel = context.WithTimeout(ctx, probeTimeout)
	p.busy = true
	p.wg.Go(func() {
		asked := p.now()
		info, err := p.backend.Probe(ctx)
		p.results <- probeResult{info, err, asked}
	})
}

func (p *prober) finish() {
	p.cancel()
	p.busy = false
}

// stop cancels a probe in progress and closes the connections.
func (p *prober) stop() {
	if p.busy {
		p.cancel()
	}
	p.wg.Wait()
	p.backend.Close()
}
