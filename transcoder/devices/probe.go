package devices

import (
	"context"
	"errors"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
)

const probeOp = "test device"

// probeRenditions is how many there are of each clip: as many as streams usually have,
// so that a GPU that cannot open so many encoders shows it.
const probeRenditions = 4

// Probe tests a device. It takes seconds; a driver that hangs costs First at the
// beginning, All in between and First at the end. Other work may go on in the device,
// but makes figures of it worse.
func Probe(ctx context.Context, e transcoder.Engine, o ProbeOptions) ProbeResult {
	return probe(ctx, e, o.withDefaults(), nil)
}

// probe counts the encoders too when they were not counted.
func probe(ctx context.Context, e transcoder.Engine, o ProbeOptions, counted *EncoderCount) ProbeResult {
	begin := o.Now()
	t := &prober{o: o, engine: e, renditions: probeRenditions, counted: counted}
	r := t.all(ctx)
	r.Device = e.Device()
	r.Took = o.Now().Sub(begin)
	if r.Fault != nil && ctx.Err() == nil {
		o.Log.Warn("a device failed its test and gets no work", "device", r.Device, fault.Attr(r.Fault))
	}
	return r
}

// prober is one test.
type prober struct {
	o      ProbeOptions
	engine transcoder.Engine
	// counted are the encoders where they were counted before.
	counted *EncoderCount
	// renditions is how many of each clip the device manages.
	renditions int
	// shaken says that something hung or crashed since the device last worked.
	shaken bool
	// fresh says that the next clip is the first of its process.
	fresh bool
}

func (t *prober) all(ctx context.Context) ProbeResult {
	t.fresh = true
	if err := t.required(ctx); err != nil {
		return ProbeResult{Fault: unfit(err)}
	}
	r, cut := t.rest(ctx)
	if t.shaken || cut {
		// A hang or crash may have affected the driver, and an interrupted test may have
		// hung.
		if err := t.try(ctx, trials[0], 1, t.o.First); err != nil {
			return ProbeResult{Fault: unfit(err), Missing: r.Missing}
		}
	}
	return r
}

// rest finds out what is not required. cut says that there was no time for all of it:
// that is no fault of the device, which is offered with what it has shown.
func (t *prober) rest(ctx context.Context) (r ProbeResult, cut bool) {
	ctx, cancel := context.WithTimeout(ctx, t.o.All)
	defer cancel()
	counted := t.encoders(ctx)
	r.EncoderSessions, r.NoEncoder = counted.Most, counted.None
	r.Capabilities = capability.Default()
	for _, trial := range trials[1:] {
		if err := t.optional(ctx, trial); err != nil {
			r.Missing = append(r.Missing, Missing{trial.id, err})
			continue
		}
		r.Capabilities = r.Capabilities.With(trial.id)
	}
	r.SessionMemory, r.RenditionMemory = t.memory(ctx)
	r.Cost = t.pace(ctx, r.EncoderSessions)
	return r, ctx.Err() != nil
}

// optional tries a capability that a device may lack.
func (t *prober) optional(ctx context.Context, c probeTrial) error {
	if err := ctx.Err(); err != nil {
		return fault.Wrap(fault.CodeOf(err), "not tried, the time for the test is over", err)
	}
	err := t.try(ctx, c, t.renditions, t.o.Clip)
	if err != nil {
		t.o.Log.Info("a device lacks an optional capability", "device", t.engine.Device(), "capability", c.id.String(),
			"err", err)
	}
	return err
}

// required tries what every device must be able to do. A GPU that cannot open as
// many encoders as usual is a smaller device, not a broken one.
func (t *prober) required(ctx context.Context) error {
	first := t.try(ctx, trials[0], probeRenditions, t.o.First)
	if first == nil || t.shaken || ctx.Err() != nil {
		return first
	}
	for n := probeRenditions - 1; n > 0 && !t.shaken; n-- {
		if t.try(ctx, trials[0], n, t.o.Clip) == nil {
			t.renditions = n
			return nil
		}
	}
	return first
}

// try shows whether the device has a capability: a clip's frames are decoded and
// all its renditions are there.
func (t *prober) try(ctx context.Context, c probeTrial, renditions int, limit time.Duration) error {
	if t.fresh {
		limit = max(limit, t.o.First)
	}
	own, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := transcode(own, t.engine, job(c.clip, whiteTime, c.profile, renditions))
	if err == nil {
		t.fresh = false
	}
	t.distrustAfter(ctx, own, err)
	return err
}

// distrustAfter records what a failure says of the device: one that hung, which the end of its
// own time shows, or that broke is no longer trusted until it has worked again. When
// the time of all was over, nothing is said of the device.
func (t *prober) distrustAfter(all, own context.Context, err error) {
	hung := errors.Is(own.Err(), context.DeadlineExceeded)
	if err == nil || all.Err() != nil || !hung && !broken(err) {
		return
	}
	t.shaken, t.fresh = true, true
	switch {
	case hung:
		restart(t.engine, fault.TranscodeTimeout)
	case errors.Is(err, fault.UnrecoverableState):
		restart(t.engine, fault.UnrecoverableState)
	}
}

// unfit returns the fault of a device that failed for the reason given.
func unfit(err error) *fault.Fault {
	f := fault.Wrap(fault.DeviceTestFailed, probeOp, err)
	f.Detail = string(fault.CodeOf(err))
	return f
}
