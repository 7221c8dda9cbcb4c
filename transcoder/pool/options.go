package pool

import (
	"log/slog"
	"runtime"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
)

// Options are a pool's settings.
type Options struct {
	// MaxSessions is the number of sessions at once; 0 admits by what was
	// measured ("auto"). What devices say of themselves bounds either way.
	MaxSessions int
	// Measured admits by what was measured also where MaxSessions is a number, so that
	// a number that is too high costs no quality.
	Measured bool
	// Untried is how many sessions a device may get before anything has been
	// measured on it, in auto mode; 0 is one and one more per four processors.
	Untried int
	// MaxInput bounds the bytes of all segments that are in work or wait; 0 is
	// 1 GiB.
	MaxInput int64
	// Capabilities are what a device without capabilities of its own can do, and the
	// node's version.
	Capabilities capability.Capabilities
	// FreeMemory is how much memory of a device is unused, and when that was read; false
	// where it is not known. It answers at once. Nil knows nothing of any device.
	FreeMemory func(device string) (bytes int64, at time.Time, ok bool)
	// Changed is called soon after the devices that are ready, or their offers, became
	// others; changes that come together are told once. Nil tells nobody.
	Changed func()
	// Log is where state changes go; nil drops them.
	Log *slog.Logger
	// Recorder counts; nil ignores.
	Recorder core.Recorder
}

func (o Options) withDefaults() Options {
	if o.Untried == 0 {
		o.Untried = 1 + runtime.NumCPU()/4
	}
	if o.MaxInput == 0 {
		o.MaxInput = 1 << 30
	}
	if o.FreeMemory == nil {
		o.FreeMemory = func(string) (int64, time.Time, bool) { return 0, time.Time{}, false }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Recorder == nil {
		o.Recorder = core.NopRecorder{}
	}
	return o
}
