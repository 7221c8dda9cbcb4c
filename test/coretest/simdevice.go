package coretest

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
)

// SimDevice behaves as a GPU does, without one: sessions open encoders and memory at
// their first segment and keep them until they end, more than there is is refused,
// segments in work slow each other down, and it can be made to crash, hang, slow down,
// go and come back. Renditions come from another engine, a Fake where none is given.
// Set the fields before the first call; the methods change it at any time.
type SimDevice struct {
	// Name is what Device returns.
	Name string
	// Engine makes the renditions.
	Engine Engine
	// Encoders is how many encoders can be open, one per rendition; 0 is any number.
	Encoders int
	// Memory is what there is, SessionMemory what a session with one rendition takes and
	// RenditionMemory what each further one does; 0 is without bound.
	Memory, SessionMemory, RenditionMemory int64
	// Cost is the real-time ratio per pixel per second of all renditions in work; 0 takes
	// no time.
	Cost float64
	simState
}

// simState is what a simulated device does now.
type simState struct {
	mu      sync.Mutex // covers what follows
	kept    map[core.SessionID]simUse
	used    simUse
	foreign simUse
	// load is in work now, factor what everything takes longer. done is the service per
	// unit of load that every job in work has had, as of at; shift is closed and replaced
	// when its pace changes.
	load, factor float64
	done         float64
	at           time.Time
	shift        chan struct{}
	// lost is what every job fails with; broken is closed when what is in work fails.
	lost    *fault.Fault
	broken  chan struct{}
	failure *fault.Fault
	hanging bool
	jobs    int
	closed  bool
}

// simUse is what a session uses of the device.
type simUse struct {
	encoders int
	memory   int64
}

var _ device.Device = (*SimDevice)(nil)

// Offer returns what the device says of itself.
func (d *SimDevice) Offer() device.Resources {
	return device.Resources{
		EncoderSessions: d.Encoders, Memory: d.Memory,
		SessionMemory: d.SessionMemory, RenditionMemory: d.RenditionMemory, Cost: d.Cost,
	}
}

// Device returns its name, "sim" where it has none.
func (d *SimDevice) Device() string {
	if d.Name == "" {
		return "sim"
	}
	return d.Name
}

// Transcode does what the device would do with the job in its present state.
func (d *SimDevice) Transcode(ctx context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	if err := ctx.Err(); err != nil {
		return nil, fault.Wrap(fault.CodeOf(err), "transcode", err)
	}
	load := pixelRate(job.Profiles)
	broken, err := d.begin(job, load)
	if err != nil {
		return nil, err
	}
	defer d.change(func() { d.load -= load })
	if err := d.spend(ctx, job.Duration.Seconds()*d.Cost, broken); err != nil {
		return nil, err
	}
	return d.engine().Transcode(ctx, job)
}

// begin takes what the job needs. broken is closed when the device fails it.
func (d *SimDevice) begin(job *core.TranscodeJob, load float64) (broken <-chan struct{}, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.jobs++
	switch {
	case d.closed:
		return nil, fault.New(fault.TranscoderStopped, "transcode", "the device is closed")
	case d.lost != nil:
		return nil, d.lost
	}
	if err := d.openLocked(job); err != nil {
		return nil, err
	}
	if d.broken == nil {
		d.broken = make(chan struct{})
	}
	d.advanceLocked()
	d.load += load
	return d.broken, nil
}

// change changes what the pace depends on.
func (d *SimDevice) change(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.advanceLocked()
	f()
}

// advance brings done up to now, and wakes jobs that wait for a time that has become
// another. The caller holds mu and changes the pace.
func (d *SimDevice) advanceLocked() {
	now := time.Now()
	if pace := d.paceLocked(); pace > 0 {
		d.done += now.Sub(d.at).Seconds() * pace
	}
	d.at = now
	if d.shift != nil {
		close(d.shift)
		d.shift = nil
	}
}

// pace is the service per unit of load and second: all that is in work shares the
// device by its load. The caller holds mu.
func (d *SimDevice) paceLocked() float64 {
	if d.hanging || d.load <= 0 {
		return 0
	}
	return 1 / (d.load * max(1, d.factor))
}

// open gives a session its encoders and memory, and again when it asks for others. The
// caller holds mu.
func (d *SimDevice) openLocked(job *core.TranscodeJob) error {
	n := len(job.Profiles)
	have := d.kept[job.Session]
	want := simUse{n, d.SessionMemory + int64(max(0, n-1))*d.RenditionMemory}
	encoders := d.used.encoders + d.foreign.encoders + want.encoders - have.encoders
	memory := d.used.memory + d.foreign.memory + want.memory - have.memory
	if d.Encoders > 0 && encoders > d.Encoders {
		return fault.New(fault.EncoderSessionsExhausted, "open encoder", fmt.Sprintf("%d of %d", encoders, d.Encoders))
	}
	if d.Memory > 0 && memory > d.Memory {
		return fault.New(fault.GPUOutOfMemory, "allocate", fmt.Sprintf("%d of %d bytes", memory, d.Memory))
	}
	if d.kept == nil {
		d.kept = make(map[core.SessionID]simUse)
	}
	d.kept[job.Session] = want
	d.used.encoders += want.encoders - have.encoders
	d.used.memory += want.memory - have.memory
	return nil
}

// spend waits until a job has had its service, however the pace changes meanwhile.
func (d *SimDevice) spend(ctx context.Context, service float64, broken <-chan struct{}) error {
	until := math.NaN()
	for {
		d.mu.Lock()
		if math.IsNaN(until) {
			until = d.done + service
		}
		pace := d.paceLocked()
		left := until - d.done - time.Since(d.at).Seconds()*pace
		if left <= service*1e-9 && !d.hanging {
			d.mu.Unlock()
			return nil
		}
		if d.shift == nil {
			d.shift = make(chan struct{})
		}
		shift := d.shift
		d.mu.Unlock()
		if err := d.wait(ctx, left, pace, shift, broken); err != nil {
			return err
		}
	}
}

// wait returns when a job may have had what is left of its service at a pace, or the
// pace has changed.
func (d *SimDevice) wait(ctx context.Context, left, pace float64, shift, broken <-chan struct{}) error {
	var due <-chan time.Time
	if pace > 0 {
		timer := time.NewTimer(time.Duration(math.Ceil(left / pace * 1e9)))
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-due:
	case <-shift:
	case <-ctx.Done():
		return fault.Wrap(fault.CodeOf(ctx.Err()), "transcode", ctx.Err())
	case <-broken:
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.failure
	}
	return nil
}

func (d *SimDevice) engine() Engine {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.Engine == nil {
		d.Engine = &Fake{Name: d.Name}
	}
	return d.Engine
}

// EndSession frees what the session has.
func (d *SimDevice) EndSession(id core.SessionID) {
	d.mu.Lock()
	use := d.kept[id]
	delete(d.kept, id)
	d.used.encoders -= use.encoders
	d.used.memory -= use.memory
	d.mu.Unlock()
	d.engine().EndSession(id)
}

// Close makes every job fail.
func (d *SimDevice) Close() error {
	d.fail(fault.New(fault.TranscoderStopped, "transcode", "the device is closed"))
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	return d.engine().Close()
}

// pixelRate returns the pixels per second of some renditions, 30 frames where the source
// decides.
func pixelRate(profiles []core.Profile) float64 {
	var sum float64
	for i := range profiles {
		p := &profiles[i]
		rate := int64(30)
		if !p.FPS.Passthrough() {
			num, den := p.FPS.Norm()
			rate = num / den
		}
		sum += float64(int64(p.Width) * int64(p.Height) * rate)
	}
	return sum
}
