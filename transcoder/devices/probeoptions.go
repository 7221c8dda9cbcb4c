package devices

import (
	"context"
	"log/slog"
	"time"
)

// ProbeOptions say how a device is tested. The zero value is usable.
type ProbeOptions struct {
	// First is how long the first clip of a process may take, which includes what a
	// driver does once; Clip how long each other may take, Count how long the count of
	// encoders. A device that takes longer has hung. 0 is DefaultProbeFirst, DefaultProbeClip and
	// DefaultProbeCount.
	First, Clip, Count time.Duration
	// All is how long everything that is not required may take together, 0 is
	// DefaultProbeAll. When it is over, what was shown by then is offered.
	All time.Duration
	// Encoders is how many hardware encoders are tried at once before a GPU counts
	// as one without a limit; 0 is DefaultProbeEncoders.
	Encoders int
	// Memory is how much of the device's memory is in use by any process, read after the
	// call; false when unknown. Nil: memory does not matter.
	Memory func(ctx context.Context) (used int64, known bool)
	// Streams is how many streams side by side measure the pace: one for a CPU core,
	// which a single stream keeps busy, some more for a GPU. 0 measures none.
	Streams int
	// Now is the clock, time.Now when nil.
	Now func() time.Time
	// Log gets what a device cannot do; nil drops it.
	Log *slog.Logger
}

// Defaults of ProbeOptions.
const (
	DefaultProbeFirst    = 30 * time.Second
	DefaultProbeClip     = 10 * time.Second
	DefaultProbeCount    = 30 * time.Second
	DefaultProbeAll      = time.Minute
	DefaultProbeEncoders = 32
)

func (o ProbeOptions) withDefaults() ProbeOptions {
	for _, d := range []struct {
		at *time.Duration
		is time.Duration
	}{{&o.First, DefaultProbeFirst}, {&o.Clip, DefaultProbeClip}, {&o.Count, DefaultProbeCount}, {&o.All,
		DefaultProbeAll}} {
		if *d.at == 0 {
			*d.at = d.is
		}
	}
	if o.Encoders == 0 {
		o.Encoders = DefaultProbeEncoders
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}
