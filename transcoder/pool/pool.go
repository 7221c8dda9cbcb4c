package pool

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
)

// Pool is a core.Transcoder over several devices. Its methods are safe for
// concurrent use.
type Pool struct {
	o       Options
	devices []*device
	wg      sync.WaitGroup
	done    chan struct{} // closed by Close

	mu       sync.Mutex // covers the fields below and the devices' and sessions' own
	sessions map[core.SessionID]*session
	// next is the device at which the search for a place begins, so that equals
	// take turns.
	next     int
	draining bool
	closed   bool
	// active counts segments that are in work or wait; quiet is closed and
	// replaced when it falls to 0.
	active int
	quiet  chan struct{}
	// input is the bytes of those segments.
	input int64
}

// New makes a pool over engines, at least one. The pool closes them. Its clean-up
// of forgotten sessions runs in Run.
func New(engines []transcoder.Engine, o Options) *Pool {
	p := &Pool{
		o: o.withDefaults(), sessions: make(map[core.SessionID]*session),
		done: make(chan struct{}), quiet: make(chan struct{}),
	}
	for _, e := range engines {
		p.devices = append(p.devices, &device{
			engine: e,
			// Suspects run beside each other as far as they have processors.
			alone: make(chan struct{}, max(2, runtime.NumCPU())),
		})
	}
	return p
}

// Transcode gives the segment to its session's device; a session that is not
// known yet is admitted first. Segments of one session wait for each other.
//
// Beside the engine's faults it returns OrchestratorCapped and Draining for new
// sessions, TranscoderBusy, TranscoderStopped, TranscodeTimeout, SegmentRefused,
// ErrTranscoderUnavailable, and the worker's faults after two attempts.
func (p *Pool) Transcode(ctx context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	s, err := p.session(job)
	if err != nil {
		return nil, err
	}
	leave, err := p.enter(ctx, s, int64(len(job.Input)))
	if err != nil {
		return nil, err
	}
	defer leave()
	return p.attempts(ctx, s, job)
}

// EndSession frees the session's place at once, and what its engine holds when
// the segment that is in work has ended. Segments that wait get
// TranscoderStopped.
func (p *Pool) EndSession(id core.SessionID) {
	p.mu.Lock()
	s := p.sessions[id]
	if s == nil || p.closed {
		p.mu.Unlock()
		return
	}
	p.drop(s)
	p.wg.Add(1)
	p.mu.Unlock()
	go func() {
		defer p.wg.Done()
		select {
		case s.turn <- struct{}{}:
			p.engineOf(s).EndSession(id)
		case <-p.done: // the engines end as a whole
		}
	}()
}

// drop takes a session out of the tables. The caller holds mu.
func (p *Pool) drop(s *session) {
	delete(p.sessions, s.id)
	s.dev.load -= s.load
	s.dev.sessions--
	close(s.over)
}

// Drain admits no new sessions from now on, and waits until no segment is in
// work or ctx ends. Sessions that exist go on.
func (p *Pool) Drain(ctx context.Context) error {
	for {
		p.mu.Lock()
		p.draining = true
		active, quiet := p.active, p.quiet
		p.mu.Unlock()
		if active == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-quiet:
		}
	}
}

// Close ends everything: segments in work fail. It waits for the engines.
func (p *Pool) Close() error {
	p.mu.Lock()
	if !p.closed {
		close(p.done)
	}
	p.draining, p.closed = true, true
	for _, s := range p.sessions {
		p.drop(s)
	}
	p.mu.Unlock()
	errs := make([]error, len(p.devices))
	var wg sync.WaitGroup
	for i, d := range p.devices {
		wg.Go(func() { errs[i] = d.engine.Close() })
	}
	wg.Wait()
	p.wg.Wait()
	return errors.Join(errs...)
}

func (p *Pool) engineOf(s *session) transcoder.Engine {
	p.mu.Lock()
	defer p.mu.Unlock()
	return s.dev.engine
}

// Probe lets a media worker look at a segment.
func (p *Pool) Probe(ctx context.Context, segment []byte) (transcoder.MediaInfo, error) {
	p.mu.Lock()
	d := p.best(nil)
	p.mu.Unlock()
	prober, ok := d.engine.(transcoder.Prober)
	if !ok {
		return transcoder.MediaInfo{Status: transcoder.ProbeFailed}, fault.New(fault.ErrTranscoderUnavailable, "probe", "no engine here looks at media")
	}
	return prober.Probe(ctx, segment)
}
