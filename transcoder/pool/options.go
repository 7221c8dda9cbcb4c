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
	// MaxSessions is the number of concurrent sessions; 0 admits by measured capacity
	// ("auto"). The limits in the devices' offers apply in both cases.
	MaxSessions int
	// Measured admits by measured capacity also when MaxSessions is a number, so that a
	// number that is too high does not make segments late.
	Measured bool
	// Untried is how many sessions an unmeasured device may get in auto mode; 0 is one
	// plus one per four CPU cores.
	Untried int
	// MaxInput bounds the bytes of all segments in progress or waiting; 0 is 1 GiB.
	MaxInput int64
	// Capabilities are those of a device that states none, and the node's version.
	Capabilities capability.Capabilities
	// FreeMemory returns a device's unused memory and when it was read; false when it is
	// unknown. It must not block. Nil is unknown for all devices.
	FreeMemory func(device string) (bytes int64, at time.Time, ok bool)
	// OtherLoad returns the CPU time that other programs on this machine have used so far: a segment
	// that is late because of them is not to blame. Nil is none.
	OtherLoad func() time.Duration
	// Changed is called soon after the set of ready devices or their offers changed.
	// Changes within a short time make one call. Nil is not called.
	Changed func()
	// TestClip returns a job with a clip that every device can transcode, with new memory for each
	// call. Remote transcoders that only report bad segments get it. Nil tests none of them.
	TestClip func() *core.TranscodeJob
	// Unreliable is called when a device reported good segments as bad repeatedly, and with detail ""
	// when that is over or the device left. Nil is not called.
	Unreliable func(device, detail string)
	// Log receives state changes; nil drops them.
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
	if o.OtherLoad == nil {
		o.OtherLoad = func() time.Duration { return 0 }
	}
	if o.Unreliable == nil {
		o.Unreliable = func(string, string) {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Recorder == nil {
		o.Recorder = core.NopRecorder{}
	}
	return o
}
