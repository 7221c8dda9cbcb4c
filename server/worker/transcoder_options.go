package worker

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fetchurl"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/telemetry"
)

// TranscoderOptions are a Client's settings. All without a default in their comment are needed.
type TranscoderOptions struct {
	// Orchestrators are host:port; with each there is a registration.
	Orchestrators []string
	Secret        core.Secret
	// TLS is the worker's trust in orchestrators; the zero value trusts any certificate.
	TLS TLS
	// Name is what the operator calls the worker; "" leaves it to the orchestrator.
	Name string
	// Version is the release.
	Version string
	// Transcoder does the work.
	Transcoder core.Transcoder
	// Capacity is how many sessions may be given to it; at 0 or below the worker stays
	// away from its orchestrators.
	Capacity func() int
	// Capabilities are what it can do now; without bits the worker stays away.
	Capabilities func() capability.Capabilities
	// Devices are reported to tutti orchestrators; nil reports none.
	Devices func() []Device
	// MaxInput bounds the bytes of all segments in progress or waiting; 0 is DefaultInputBytes.
	MaxInput int64
	// Stores are as in worker.Options.
	Stores fetchurl.Networks
	// Log is where state changes go; nil drops them. Board shows orchestrators that
	// cannot be reached; nil shows them nowhere.
	Log   *slog.Logger
	Board *health.Board
	// Recorder counts; nil ignores.
	Recorder core.Recorder
	// Tracer makes the segments' spans; nil makes none.
	Tracer *telemetry.Tracer
	// Now is the clock; nil is the system's.
	Now func() time.Time
	// Random gives unpredictable bytes, for what tells this process from others.
	Random io.Reader
	// Chance gives numbers from 0 to 1, for pauses; several goroutines call it.
	Chance func() float64
}

// Device is a device of this machine, for the orchestrator's operator.
type Device struct {
	// Name is "cpu" or a GPU's index, Kind what it is.
	Name, Kind string
	// Sessions it has, and the most that it takes; 0 as measured.
	Sessions, Limit int
}

// DefaultInputBytes is the memory limit of segments in progress or waiting.
const DefaultInputBytes = 1 << 30

func (o TranscoderOptions) complete() (TranscoderOptions, error) {
	if o.Transcoder == nil || o.Capacity == nil || o.Capabilities == nil || o.Random == nil || o.Chance == nil {
		return o, errors.New("a remote transcoder needs a transcoder, its capacity and capabilities, and chance")
	}
	if o.MaxInput == 0 {
		o.MaxInput = DefaultInputBytes
	}
	if o.Recorder == nil {
		o.Recorder = core.NopRecorder{}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o, nil
}

// The ports' lifecycle, as the node needs it.
var _ interface {
	Name() string
	Run(ctx context.Context, ready func()) error
	Drain(ctx context.Context) error
} = (*TranscoderClient)(nil)
