package pool

import (
	"context"
	"log/slog"
	"runtime"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
)

// Options are a pool's settings.
type Options struct {
	// MaxSessions is the number of sessions at once; 0 admits by what was
	// measured ("auto").
	MaxSessions int
	// Untried is how many sessions a device may get before anything has been
	// measured on it, in auto mode; 0 is one and one more per four processors.
	Untried int
	// MaxInput bounds the bytes of all segments that are in work or wait; 0 is
	// 1 GiB.
	MaxInput int64
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
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Recorder == nil {
		o.Recorder = core.NopRecorder{}
	}
	return o
}

// replacer is an engine whose process can be killed and replaced, which helps
// against native code that hangs.
type replacer interface {
	Replace(reason fault.Code)
}

// isolator is an engine that can give a segment a process of its own, so that it
// takes no other segment along when it kills that.
type isolator interface {
	Alone(ctx context.Context) (transcoder.Engine, error)
}
