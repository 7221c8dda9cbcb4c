package probe

import (
	"context"
	"errors"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
)

const op = "test device"

// renditions is how many there are of each clip: as many as streams usually have,
// so that a card that cannot open so many encoders shows it.
const renditions = 4

// Test tests a device. It takes seconds, or as long as Options.All when the driver
// hangs. Other work may go on in the device, but makes figures of it worse.
func Test(ctx context.Context, e transcoder.Engine, o Options) Result {
	o = o.withDefaults()
	begin := o.Now()
	ctx, cancel := context.WithTimeout(ctx, o.All)
	defer cancel()
	t := &tester{o: o, engine: e, renditions: renditions}
	r := t.all(ctx)
	r.Device = e.Device()
	r.Took = o.Now().Sub(begin)
	if r.Fault != nil && !errors.Is(ctx.Err(), context.Canceled) {
		o.Log.Warn("a device failed its test and gets no work", "device", r.Device, fault.Attr(r.Fault))
	}
	return r
}

// tester is one test.
type tester struct {
	o      Options
	engine transcoder.Engine
	// renditions is how many of each clip the device manages.
	renditions int
	// shaken says that something hung or crashed since the device last worked.
	shaken bool
}

func (t *tester) all(ctx context.Context) Result {
	r := Result{}
	if err := t.required(ctx); err != nil {
		return Result{Fault: unfit(err)}
	}
	shown := capability.Default()
	for _, trial := range trials[1:] {
		if err := t.try(ctx, trial, t.renditions, t.o.Clip); err != nil {
			r.Missing = append(r.Missing, Missing{trial.id, err})
			t.o.Log.Info("a device lacks an optional capability", "device", t.engine.Device(), "capability", trial.id.String(), "err", err)
			continue
		}
		shown = shown.With(trial.id)
	}
	r.EncoderSessions = t.encoders(ctx)
	r.SessionMemory, r.RenditionMemory = t.memory(ctx)
	r.Cost = t.pace(ctx, r.EncoderSessions)
	if t.shaken {
		// What hung or crashed may have taken the driver along.
		if err := t.try(ctx, trials[0], 1, t.o.First); err != nil {
			return Result{Fault: unfit(err), Missing: r.Missing}
		}
	}
	r.Capabilities = shown
	return r
}

// required tries what every device must be able to do. A card that cannot open as
// many encoders as usual is a smaller device, not a broken one.
func (t *tester) required(ctx context.Context) error {
	first := t.try(ctx, trials[0], renditions, t.o.First)
	if first == nil || t.shaken || ctx.Err() != nil {
		return first
	}
	for n := renditions - 1; n > 0; n-- {
		if t.try(ctx, trials[0], n, t.o.Clip) == nil {
			t.renditions = n
			return nil
		}
	}
	return first
}

// try shows whether the device has a capability: a clip's pictures are decoded and
// all its renditions are there.
func (t *tester) try(ctx context.Context, c trial, renditions int, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := transcode(ctx, t.engine, job(c.clip, whiteTime, c.profile, renditions))
	t.doubt(ctx, err)
	return err
}

// doubt notes what a failure says of the device: one that hung, which ctx's end
// shows, or that broke is no longer trusted until it has worked again.
func (t *tester) doubt(ctx context.Context, err error) {
	hung := errors.Is(ctx.Err(), context.DeadlineExceeded)
	if err == nil || !hung && !broken(err) {
		return
	}
	t.shaken = true
	switch {
	case hung:
		restart(t.engine, fault.TranscodeTimeout)
	case errors.Is(err, fault.UnrecoverableState):
		restart(t.engine, fault.UnrecoverableState)
	}
}

// unfit is the fault of a device that failed for the reason given.
func unfit(err error) *fault.Fault {
	f := fault.Wrap(fault.DeviceTestFailed, op, err)
	f.Detail = string(fault.CodeOf(err))
	return f
}
