package libav

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
)

// DefaultPreset is libx264's preset where the operator names none. It was chosen
// by measurement: see docs/media.md.
const DefaultPreset = "veryfast"

// Presets are libx264's presets, fastest first.
func Presets() []string {
	return []string{"ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow"}
}

// Options configure an engine.
type Options struct {
	// Device is "cpu", or a GPU's name as the operator gave it.
	Device string
	// CUDA makes the device an NVIDIA GPU when not nil.
	CUDA *CUDA
	// Preset is libx264's, DefaultPreset when empty.
	Preset string
	// Cores is how many CPU cores the engine may count on, at least 1.
	Cores int
	// Version goes into the metadata of renditions.
	Version string
	Log     *slog.Logger
}

// Engine transcodes on the CPU or on a GPU. Its methods are safe for
// concurrent use.
type Engine struct {
	gpu *gpu // nil: the CPU

	device, preset, version string

	cores    int
	log      *slog.Logger
	sessions *sessions
	slots    atomic.Pointer[slots]
}

var _ transcoder.Engine = (*Engine)(nil)

// gpuSegments is how many segments may be in work at once on a GPU that encodes. The
// CPU has little to do with them; the bound is for the GPU's memory.
const gpuSegments = 32

// New makes an engine. The fault is TranscoderInvalidHardware for an unknown
// device and OptionNotFound for an unknown preset; that of a GPU that cannot be
// opened says why.
func New(o Options) (*Engine, error) {
	const op = "start engine"
	if o.CUDA == nil && o.Device != "cpu" || o.Device == "" {
		return nil, fault.New(fault.TranscoderInvalidHardware, op, fmt.Sprintf("device %q", o.Device))
	}
	if o.Preset == "" {
		o.Preset = DefaultPreset
	}
	if !slices.Contains(Presets(), o.Preset) {
		return nil, fault.New(fault.OptionNotFound, op, fmt.Sprintf("preset %q", o.Preset))
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	cores := max(o.Cores, 1)
	setUpProcess()
	e := &Engine{
		device: o.Device, preset: o.Preset, version: o.Version,
		cores: cores, log: o.Log,
		sessions: newSessions(time.Now),
	}
	e.slots.Store(newSlots(cores))
	if o.CUDA != nil {
		var err error
		if e.gpu, err = openGPU(*o.CUDA); err != nil {
			return nil, err
		}
		e.slots.Store(newSlots(max(cores, gpuSegments)))
		e.warmUp()
	}
	return e, nil
}

// Device returns the name of the device.
func (e *Engine) Device() string { return e.device }

// Transcode implements core.Transcoder.
func (e *Engine) Transcode(ctx context.Context, spec *core.TranscodeJob) (*core.TranscodeResult, error) {
	if err := check(spec, e.gpu != nil && e.gpu.noEncoder.Load() == nil); err != nil {
		return nil, err
	}
	if err := e.checkEffect(spec); err != nil {
		return nil, err
	}
	ctx, own, active, err := e.sessions.begin(ctx, spec)
	if err != nil {
		return nil, err
	}
	if e.gpu != nil {
		return e.workOrLeave(ctx, own, spec, active)
	}
	return e.work(ctx, own, spec, active)
}

// work does a segment of an admitted job.
func (e *Engine) work(
	ctx context.Context, own *session, spec *core.TranscodeJob, active int,
) (*core.TranscodeResult, error) {
	var result *core.TranscodeResult
	defer func() { e.sessions.end(own, result) }()
	release, err := e.slots.Load().take(ctx, spec.Duration)
	if err != nil {
		return nil, failed("wait for a core", context.Cause(ctx))
	}
	defer release()
	begin := time.Now()
	out, err := e.transcode(ctx, own, spec, e.threads(active))
	e.drainLog(spec)
	if err != nil {
		return nil, failed("transcode segment", err)
	}
	out.MediaTime = time.Since(begin)
	result = out
	return result, nil
}

// threads returns how many threads each codec gets: all that libav likes for a session
// that is alone, one as soon as there are as many sessions as cores, because
// renditions run concurrently anyway and threads cost time and memory.
func (e *Engine) threads(active int) int {
	switch {
	case active <= 1:
		return 0
	case active >= e.cores:
		return 1
	}
	return e.cores / active
}

// drainLog passes on what libav complained about. Which of several segments a
// line belongs to is not known.
func (e *Engine) drainLog(spec *core.TranscodeJob) {
	for line := nextLogLine(); line != ""; line = nextLogLine() {
		e.log.Debug("libav", "session", spec.Session, "segment", spec.Number, "err", line)
	}
}

// EndSession forgets a session and stops its segment in work. When none is left,
// unused memory goes back to the system.
func (e *Engine) EndSession(id core.SessionID) {
	if e.sessions.forget(id) {
		trimHeap()
	}
}

// Close stops all work and waits for it. Work that hangs in a GPU's driver is left
// behind, and the fault reports it: nothing but the end of the process frees it.
func (e *Engine) Close() error {
	idle := e.sessions.close()
	if e.gpu == nil {
		<-idle
		trimHeap()
		return nil
	}
	defer trimHeap()
	if !within(idle, closePatience) {
		return fault.New(fault.UnrecoverableState, "close engine", "work hangs in the driver")
	}
	e.gpu.close()
	return nil
}
