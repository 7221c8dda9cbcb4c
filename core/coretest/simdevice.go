package coretest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/placement"
)

// The codes with which hardware says that it is full.
const (
	simEncoders fault.Code = "EncoderSessionsExhausted"
	simMemory   fault.Code = "GPUOutOfMemory"
)

// SimDevice behaves as a GPU does, without one: sessions open encoders and memory at
// their first segment and keep them until they end, more than there is is refused,
// segments in work slow each other down, and it can be told to crash, hang, slow down,
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

	mu      sync.Mutex // covers what follows
	kept    map[core.SessionID]simUse
	used    simUse
	foreign simUse
	// load is in work now, factor what everything takes longer.
	load   float64
	factor float64
	// lost is what every job fails with; broken is closed when what is in work fails.
	lost    *fault.Fault
	broken  chan struct{}
	failure *fault.Fault
	hanging bool
	jobs    int
	closed  bool
}

// simUse is what somebody has of the device.
type simUse struct {
	encoders int
	memory   int64
}

var _ placement.Device = (*SimDevice)(nil)

// Offer is what the device says of itself.
func (d *SimDevice) Offer() placement.Offer {
	return placement.Offer{
		EncoderSessions: d.Encoders, Memory: d.Memory,
		SessionMemory: d.SessionMemory, RenditionMemory: d.RenditionMemory, Cost: d.Cost,
	}
}

// Device is its name, "sim" where it has none.
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
	took, broken, err := d.begin(job, load)
	if err != nil {
		return nil, err
	}
	defer d.finish(load)
	if err := d.spend(ctx, took, broken); err != nil {
		return nil, err
	}
	return d.engine().Transcode(ctx, job)
}

// begin takes what the job needs, and says how long it will take.
func (d *SimDevice) begin(job *core.TranscodeJob, load float64) (time.Duration, <-chan struct{}, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.jobs++
	switch {
	case d.closed:
		return 0, nil, fault.New(fault.TranscoderStopped, "transcode", "the device is closed")
	case d.lost != nil:
		return 0, nil, d.lost
	}
	if err := d.open(job); err != nil {
		return 0, nil, err
	}
	if d.broken == nil {
		d.broken = make(chan struct{})
	}
	d.load += load
	took := time.Duration(float64(job.Duration) * d.Cost * d.load * max(1, d.factor))
	if d.hanging {
		took = -1
	}
	return took, d.broken, nil
}

// open gives a session its encoders and memory, anew when it asks for others. The
// caller holds mu.
func (d *SimDevice) open(job *core.TranscodeJob) error {
	n := len(job.Profiles)
	have := d.kept[job.Session]
	want := simUse{n, d.SessionMemory + int64(max(0, n-1))*d.RenditionMemory}
	encoders := d.used.encoders + d.foreign.encoders + want.encoders - have.encoders
	memory := d.used.memory + d.foreign.memory + want.memory - have.memory
	if d.Encoders > 0 && encoders > d.Encoders {
		return fault.New(simEncoders, "open encoder", fmt.Sprintf("%d of %d", encoders, d.Encoders))
	}
	if d.Memory > 0 && memory > d.Memory {
		return fault.New(simMemory, "allocate", fmt.Sprintf("%d of %d bytes", memory, d.Memory))
	}
	if d.kept == nil {
		d.kept = make(map[core.SessionID]simUse)
	}
	d.kept[job.Session] = want
	d.used.encoders += want.encoders - have.encoders
	d.used.memory += want.memory - have.memory
	return nil
}

// spend lets the time of a job pass; one that hangs ends with its context alone.
func (d *SimDevice) spend(ctx context.Context, took time.Duration, broken <-chan struct{}) error {
	var done <-chan time.Time
	switch {
	case took == 0:
		return nil
	case took > 0:
		timer := time.NewTimer(took)
		defer timer.Stop()
		done = timer.C
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fault.Wrap(fault.CodeOf(ctx.Err()), "transcode", ctx.Err())
	case <-broken:
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.failure
	}
}

func (d *SimDevice) finish(load float64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.load -= load
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

// pixelRate is the pixels per second of some renditions, 30 frames where the source
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
