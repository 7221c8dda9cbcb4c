package devices

import (
	"context"
	"errors"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
)

// Worker is a device whose media work is done in a child process: worker.Client.
type Worker interface {
	transcoder.Engine
	transcoder.Prober
	// Parallel is how many segments it works on at once.
	Parallel() int
	// Replace puts another child in the place of one that is stuck.
	Replace(reason fault.Code)
	// Alone starts a child for a single segment.
	Alone(ctx context.Context) (transcoder.Engine, error)
}

// Device is a worker that can be tested again while the node runs.
type Device struct {
	Worker
	o ProbeOptions
}

// NewDevice makes w a device that can be tested again.
func NewDevice(w Worker, o ProbeOptions) *Device { return &Device{w, o.withDefaults()} }

// Test returns the whole test, for the start.
func (d *Device) Test(ctx context.Context) ProbeResult { return probe(ctx, d, d.o, nil) }

// TestCounted returns the whole test of a device whose encoders are known: it opens none to
// count them, for other devices may need them.
func (d *Device) TestCounted(ctx context.Context, known EncoderCount) ProbeResult {
	return probe(ctx, d, d.o, &known)
}

// Reprobe is the quick test of a device in quarantine: does it make H.264 again? It
// takes a fraction of a second where it does. The error is DeviceTestFailed.
func (d *Device) Reprobe(ctx context.Context) error {
	t := &prober{o: d.o, engine: d.Worker, renditions: 1}
	limit := d.o.First
	if until, ok := ctx.Deadline(); ok {
		// Leave a caller with little time enough to learn that the device hangs.
		limit = min(limit, time.Until(until)*9/10)
	}
	err := t.try(ctx, trials[0], 1, limit)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return err // the caller has left; that says nothing about the device
	}
	return unfit(err)
}

// EncoderLimit passes the question on.
func (d *Device) EncoderLimit(ctx context.Context, atMost int) (int, error) {
	if l, ok := d.Worker.(transcoder.EncoderLimiter); ok {
		return l.EncoderLimit(ctx, atMost)
	}
	return 0, nil
}
