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
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/pool/incidents"
)

// Pool is a core.Transcoder over several devices. Its methods are safe for
// concurrent use.
type Pool struct {
	o     Options
	rules rules
	table table
	// admitted counts sessions; guarded by table.mu.
	admitted uint64
	sessions *shards
	poolLoad
	losses      losses
	incidents   *incidents.Record
	senderTurns senderTurns
	failures    fault.Lines // of segments that are tried again
	// agreements counts the segments that two remote devices agreed on.
	agreements atomic.Uint64
	draining   atomic.Bool
	notifying  atomic.Bool

	done chan struct{} // closed by Close
	wg   sync.WaitGroup

	lifeMu sync.Mutex // guards the fields below; closed is written only with it held
	closed atomic.Bool
	// idle is closed when activeSegments falls to 0 while the pool drains.
	idle chan struct{}
}

// poolLoad counts what a pool has and can do.
type poolLoad struct {
	// sessionCount is the number of sessions, sessionLimit the number that the devices can
	// serve, capabilities what the ready devices can do together.
	sessionCount, sessionLimit atomic.Int64
	capabilities               atomic.Pointer[capability.Capabilities]
	remotes                    struct{ number, capacity, load atomic.Int64 }
	// activeSegments counts segments in progress or waiting, inputBytes their size.
	activeSegments, inputBytes atomic.Int64
	// readyDevices is the number of devices that accept sessions.
	readyDevices atomic.Int64
}

// New makes a pool with initial engines, which it owns and closes; there may be none.
// Other devices are attached later. Run ends idle sessions.
func New(engines []transcoder.Engine, o Options) *Pool {
	o = o.withDefaults()
	o.OtherLoad = nowAndThen(o.OtherLoad)
	p := &Pool{o: o, sessions: newShards(), incidents: incidents.New(), done: make(chan struct{}),
		idle: make(chan struct{})}
	p.rules.measured, p.rules.untried = o.Measured, o.Untried
	p.rules.maxSessions.Store(int64(max(0, o.MaxSessions)))
	t := &p.table
	t.classes, t.devices = make(map[string]*class), make(map[string]*poolDevice)
	t.operatorDrained = make(map[string]bool)
	t.verdicts = make(map[string]*verdicts)
	t.needs, t.generation = make(map[string]*needs), 1
	t.unitSums, t.deviceCounts = make(map[capability.ID]uint64), make(map[capability.ID]int)
	p.publishLocked()
	for _, e := range engines {
		p.attachOwned(e)
	}
	return p
}

// attachOwned attaches a device that the pool closes. A second device of the same name
// gets a suffix: the caller of New passed both on purpose.
func (p *Pool) attachOwned(e transcoder.Engine) {
	d := newDevice(e, device.Resources{})
	d.owned = true
	name := d.label
	for p.attach(d) != nil {
		d.label += "'"
	}
	if d.label != name {
		p.o.Log.Warn("two devices have one name", "device", name)
	}
}

// Transcode runs the segment on its session's device. It admits an unknown session
// first. Segments of one session run one after another.
//
// Besides the devices' faults it returns those of Admit for new sessions,
// TranscoderBusy, TranscoderStopped, TranscodeTimeout, SegmentRefused, SenderDeferred,
// ErrTranscoderUnavailable, NoTranscoders when its device detached and no other has
// capacity, and the last attempt's fault after several. A segment that remote transcoders
// left unanswered ends with RemoteWorkerTimeout. When only one remote transcoder blames
// the segment, orchestrate.ErrOneOpinion is in the error chain.
func (p *Pool) Transcode(ctx context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	s, err := p.session(job)
	if err != nil {
		return nil, err
	}
	w := incidents.SegmentOf(job)
	if p.incidents.TreatmentFor(w, s.goodSegments(), time.Now()) == incidents.Refused {
		return nil, refusalFault(incidents.Refused) // before waiting for the session's turn
	}
	leave, err := p.enter(ctx, s, int64(len(job.Input)))
	if err != nil {
		return nil, err
	}
	defer leave()
	return p.runAttempts(ctx, s, job, w)
}

// EndSession frees the session's capacity at once, and its engine's resources when the
// segment in progress has ended. Waiting segments get TranscoderStopped.
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
			s.device().engine.EndSession(id)
		case <-p.done: // Close ends the engines with all their sessions
		}
	})
}

// drop frees the capacity of a session that was removed from p.sessions.
func (p *Pool) drop(s *session) {
	p.table.mu.Lock()
	s.mu.Lock()
	p.unassignLocked(s)
	s.ended = true
	s.mu.Unlock()
	p.table.mu.Unlock()
	p.sessionCount.Add(-1)
	close(s.done)
}

// Drain stops admitting sessions, and waits until no segment is in progress or ctx
// ends. Existing sessions continue.
func (p *Pool) Drain(ctx context.Context) error {
	for {
		p.lifeMu.Lock()
		p.draining.Store(true)
		quiet := p.idle
		p.lifeMu.Unlock()
		if p.activeSegments.Load() == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-quiet:
		}
	}
}

// wake makes every Drain check again.
func (p *Pool) wake() {
	p.lifeMu.Lock()
	defer p.lifeMu.Unlock()
	close(p.idle)
	p.idle = make(chan struct{})
}

// Close fails the segments in progress, and closes and waits for the owned engines.
func (p *Pool) Close() error {
	p.lifeMu.Lock()
	if !p.closed.Load() {
		close(p.done)
	}
	p.draining.Store(true)
	p.closed.Store(true)
	p.lifeMu.Unlock()
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

// owned returns the devices that the pool closes.
func (p *Pool) owned() []*poolDevice {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	var out []*poolDevice
	for _, d := range p.table.devices {
		if d.owned {
			out = append(out, d)
		}
	}
	return out
}

// Probe analyzes a segment on the least used device that can probe.
func (p *Pool) Probe(ctx context.Context, segment []byte) (transcoder.MediaInfo, error) {
	prober := p.prober()
	if prober == nil {
		return transcoder.MediaInfo{Status: transcoder.ProbeFailed}, fault.New(fault.ErrTranscoderUnavailable, "probe",
			"no device here can probe media")
	}
	return prober.Probe(ctx, segment)
}

// ProbeAlone is Probe in a process of its own, where the device can start one: media that end or
// block it fail nothing else, and no stream is blamed for them.
func (p *Pool) ProbeAlone(ctx context.Context, media []byte) (transcoder.MediaInfo, error) {
	own, ok := p.prober().(isolator)
	if !ok {
		return p.Probe(ctx, media)
	}
	alone, err := own.Alone(ctx)
	if err != nil {
		return transcoder.MediaInfo{Status: transcoder.ProbeFailed}, err
	}
	defer func() { _ = alone.Close() }()
	prober, ok := alone.(transcoder.Prober)
	if !ok {
		return p.Probe(ctx, media)
	}
	return prober.Probe(ctx, media)
}

// ConvertSoundAlone converts sound in a process of its own, where the device can start one.
func (p *Pool) ConvertSoundAlone(ctx context.Context, sound []byte, to core.SoundFormat, limit int64) ([]byte, error) {
	device := any(p.prober())
	if own, ok := device.(isolator); ok {
		alone, err := own.Alone(ctx)
		if err != nil {
			return nil, err
		}
		defer func() { _ = alone.Close() }()
		device = alone
	}
	converter, ok := device.(transcoder.SoundConverter)
	if !ok {
		return nil, fault.New(fault.ErrTranscoderUnavailable, "convert sound", "no device here can convert sound")
	}
	return converter.ConvertSound(ctx, sound, to, limit)
}

// DecodeImageAlone decodes an image in a process of its own. It is refused where the device cannot start one.
func (p *Pool) DecodeImageAlone(ctx context.Context, image []byte, limit int64) ([]byte, error) {
	if own, ok := p.prober().(isolator); ok {
		alone, err := own.Alone(ctx)
		if err != nil {
			return nil, err
		}
		defer func() { _ = alone.Close() }()
		if d, ok := alone.(transcoder.ImageDecoder); ok {
			return d.DecodeImage(ctx, image, limit)
		}
	}
	return nil, fault.New(fault.ErrTranscoderUnavailable, "decode image", "no device here can decode images")
}

// prober returns the least used device that can probe media, nil when there is none. Devices
// that are not ready come last.
func (p *Pool) prober() transcoder.Prober {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	var best transcoder.Prober
	least := rank{key: math.Inf(1), turn: math.MaxUint64}
	for _, d := range p.table.devices {
		found, ok := d.engine.(transcoder.Prober)
		if r := d.currentTreeRank(); ok && (best == nil || r.before(&least)) {
			best, least = found, r
		}
	}
	return best
}
