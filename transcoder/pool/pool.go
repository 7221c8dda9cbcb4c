package pool

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/placement"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/pool/incidents"
)

// Pool is a core.Transcoder over several devices. Its methods are safe for
// concurrent use.
type Pool struct {
	o     Options
	rules rules
	table table
	// admitted counts sessions; the table's lock covers it.
	admitted uint64
	sessions *shards

	// number is how many sessions there are, limit how many there may be by the
	// devices, offer what these can do.
	number, limit atomic.Int64
	offer         atomic.Pointer[capability.Capabilities]
	losses        losses
	incidents     *incidents.Record
	singles       singles
	remotes       struct{ number, capacity, load atomic.Int64 }
	// active counts segments that are in work or wait, input their bytes.
	active, input atomic.Int64
	draining      atomic.Bool
	telling       atomic.Bool
	// ready is how many devices get sessions.
	ready atomic.Int64

	done chan struct{} // closed by Close
	wg   sync.WaitGroup

	life   sync.Mutex // covers the fields below; closed is only set with it
	closed atomic.Bool
	// quiet is closed when active falls to 0 while the pool drains.
	quiet chan struct{}
}

// New makes a pool that has engines from the start, or none: others are attached to
// it. It closes those that it was made with. Its clean-up of forgotten sessions runs
// in Run.
func New(engines []transcoder.Engine, o Options) *Pool {
	o = o.withDefaults()
	p := &Pool{o: o, sessions: newShards(), incidents: incidents.New(), done: make(chan struct{}),
		quiet: make(chan struct{})}
	p.rules.measured, p.rules.untried = o.Measured, o.Untried
	p.rules.maxSessions.Store(int64(max(0, o.MaxSessions)))
	t := &p.table
	t.classes, t.devices = make(map[string]*class), make(map[string]*device)
	t.barred = make(map[string]bool)
	t.needs, t.generation = make(map[string]*needs), 1
	t.units, t.named = make(map[capability.ID]uint64), make(map[capability.ID]int)
	p.publish()
	for _, e := range engines {
		p.keep(e)
	}
	return p
}

// keep attaches a device that the pool closes. Two of the same name are both kept:
// whoever made the pool with them meant that.
func (p *Pool) keep(e transcoder.Engine) {
	d := newDevice(e, placement.Offer{})
	d.kept = true
	name := d.label
	for p.attach(d) != nil {
		d.label += "'"
	}
	if d.label != name {
		p.o.Log.Warn("two devices have one name", "device", name)
	}
}

// Transcode gives the segment to its session's device; a session that is not
// known yet is admitted first. Segments of one session wait for each other.
//
// Beside the devices' faults it returns those of Admit for new sessions,
// TranscoderBusy, TranscoderStopped, TranscodeTimeout, SegmentRefused, SenderDeferred,
// ErrTranscoderUnavailable, NoTranscoders when its device has gone and there is no
// other, and the last attempt's fault after several. RemoteWorkerTimeout is the end of
// every segment that transcoders on other machines sat on; orchestrate.ErrOneOpinion is
// in the chain of what a single one of them has against a segment.
func (p *Pool) Transcode(ctx context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	s, err := p.session(job)
	if err != nil {
		return nil, err
	}
	w := incidents.Of(job)
	if p.incidents.Treat(w, s.good(), time.Now()) == incidents.Refused {
		return nil, refused(incidents.Refused) // there is no need to wait for that
	}
	leave, err := p.enter(ctx, s, int64(len(job.Input)))
	if err != nil {
		return nil, err
	}
	defer leave()
	return p.attempts(ctx, s, job, w)
}

// EndSession frees the session's place at once, and what its engine holds when
// the segment that is in work has ended. Segments that wait get
// TranscoderStopped.
func (p *Pool) EndSession(id core.SessionID) {
	if p.closed.Load() {
		return
	}
	s := p.sessions.take(id)
	if s == nil {
		return
	}
	p.drop(s)
	p.spawn(func() {
		select {
		case s.turn <- struct{}{}:
			s.at().engine.EndSession(id)
		case <-p.done: // the engines end as a whole
		}
	})
}

// drop gives back the place of a session that was taken out of the table of sessions.
func (p *Pool) drop(s *session) {
	p.table.mu.Lock()
	s.mu.Lock()
	p.unseat(s)
	s.ended = true
	s.mu.Unlock()
	p.table.mu.Unlock()
	p.number.Add(-1)
	close(s.over)
}

// Drain admits no new sessions from now on, and waits until no segment is in
// work or ctx ends. Sessions that exist go on.
func (p *Pool) Drain(ctx context.Context) error {
	for {
		p.life.Lock()
		p.draining.Store(true)
		quiet := p.quiet
		p.life.Unlock()
		if p.active.Load() == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-quiet:
		}
	}
}

// wake makes every Drain look again.
func (p *Pool) wake() {
	p.life.Lock()
	defer p.life.Unlock()
	close(p.quiet)
	p.quiet = make(chan struct{})
}

// Close ends everything: segments in work fail. It waits for the engines that the
// pool was made with.
func (p *Pool) Close() error {
	p.life.Lock()
	if !p.closed.Load() {
		close(p.done)
	}
	p.draining.Store(true)
	p.closed.Store(true)
	p.life.Unlock()
	for part := range p.sessions.parts {
		for _, id := range p.sessions.all(part) {
			if s := p.sessions.take(id); s != nil {
				p.drop(s)
			}
		}
	}
	owned := p.owned()
	errs := make([]error, len(owned))
	var wg sync.WaitGroup
	for i, d := range owned {
		wg.Go(func() { errs[i] = d.engine.Close() })
	}
	wg.Wait()
	p.wg.Wait()
	return errors.Join(errs...)
}

// owned are the devices that the pool closes.
func (p *Pool) owned() []*device {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	var out []*device
	for _, d := range p.table.devices {
		if d.kept {
			out = append(out, d)
		}
	}
	return out
}

// Probe lets a media worker look at a segment.
func (p *Pool) Probe(ctx context.Context, segment []byte) (transcoder.MediaInfo, error) {
	prober := p.prober()
	if prober == nil {
		return transcoder.MediaInfo{Status: transcoder.ProbeFailed}, fault.New(fault.ErrTranscoderUnavailable, "probe", "no engine here looks at media")
	}
	return prober.Probe(ctx, segment)
}

// prober is the least used device that looks at media, nil when there is none; those
// that are not ready come last.
func (p *Pool) prober() transcoder.Prober {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	var best transcoder.Prober
	least := rank{key: math.Inf(1), turn: math.MaxUint64}
	for _, d := range p.table.devices {
		found, ok := d.engine.(transcoder.Prober)
		if r := d.seen(); ok && (best == nil || r.before(&least)) {
			best, least = found, r
		}
	}
	return best
}
