package libav

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
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
	// Device is "cpu".
	Device string
	// Preset is libx264's, DefaultPreset when empty.
	Preset string
	// Cores is how many processor cores the engine may count on, at least 1.
	Cores int
	// Version goes into the metadata of renditions.
	Version string
	Log     *slog.Logger
}

// Engine transcodes on the processor. Its methods are safe for concurrent use.
type Engine struct {
	device, preset, version string

	cores    int
	log      *slog.Logger
	sessions *sessions
	slots    *slots
}

var _ transcoder.Engine = (*Engine)(nil)

// New makes an engine. The fault is TranscoderInvalidHardware for an unknown
// device and OptionNotFound for an unknown preset.
func New(o Options) (*Engine, error) {
	const op = "start engine"
	if o.Device != "cpu" {
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
	return &Engine{
		device: o.Device, preset: o.Preset, version: o.Version,
		cores: cores, log: o.Log,
		sessions: newSessions(), slots: newSlots(cores),
	}, nil
}

// Device returns "cpu".
func (e *Engine) Device() string { return e.device }

// Transcode implements core.Transcoder.
func (e *Engine) Transcode(ctx context.Context, spec *core.TranscodeJob) (*core.TranscodeResult, error) {
	if err := check(spec); err != nil {
		return nil, err
	}
	ctx, own, active, err := e.sessions.begin(ctx, spec)
	if err != nil {
		return nil, err
	}
	var result *core.TranscodeResult
	defer func() { e.sessions.end(own, result) }()
	release, err := e.slots.take(ctx, spec.Duration)
	if err != nil {
		return nil, failed("wait for a core", context.Cause(ctx))
	}
	defer release()
	begin := time.Now()
	j := &job{engine: e, spec: spec, audioAlone: own.sawVideo, threads: e.threads(active)}
	out, err := j.run(ctx)
	e.drainLog(spec)
	if err != nil {
		return nil, failed("transcode segment", err)
	}
	out.MediaTime = time.Since(begin)
	result = out
	return result, nil
}

// threads is how many threads each codec gets: all that libav likes for a session
// that is alone, one as soon as there are as many sessions as cores, because
// renditions run beside each other anyway and threads cost time and memory.
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

// Close stops all work and waits for it.
func (e *Engine) Close() error {
	e.sessions.close()
	trimHeap()
	return nil
}
