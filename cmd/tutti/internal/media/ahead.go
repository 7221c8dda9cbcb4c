package media

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/modelconfig"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/devices"
	"github.com/tuttinode/tutti/transcoder/gpus"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// In an upgrade the new process starts the media workers of the GPUs while the old one
// still works, and takes over what that found when it tested them. A GPU that does not
// come up in time, or does not work, is left to the ordinary start after the upgrade.

const (
	// aheadTime is how long the GPUs' workers may take, in the time that a new process
	// has until it waits.
	aheadTime = 30 * time.Second
)

// FindingsText are a process's GPUs for the one that takes its place.
type handedCards struct {
	// Form is the test's, Preset the one of the encoders whose pace was measured.
	Form   int
	Preset string
	Cards  map[device.UUID]devices.Finding
}

// FindingsText returns what was found of GPUs as text, "" for none.
func FindingsText(preset string, found map[device.UUID]devices.Finding) (string, error) {
	text, err := json.Marshal(handedCards{Form: devices.ProbeForm, Preset: preset, Cards: found})
	return string(text), err
}

// readCards reads what another process has handed over. Tests that do not hold for this
// one are left out: their GPUs are tested again.
func readCards(text, preset string) map[device.UUID]devices.Finding {
	var h handedCards
	if text == "" || json.Unmarshal([]byte(text), &h) != nil {
		return nil
	}
	if h.Form != devices.ProbeForm || h.Preset != preset {
		for id := range h.Cards {
			h.Cards[id] = devices.Finding{}
		}
	}
	return h.Cards
}

// Ahead are the GPUs of the old process, with the media workers that were
// started for them. The zero value has none.
type Ahead struct {
	log      *slog.Logger
	recorder lateRecorder

	mu      sync.Mutex // covers the fields below
	found   map[device.UUID]devices.Finding
	workers map[device.UUID]*worker.Client
}

// StartAhead starts the workers of the GPUs that were handed over.
func StartAhead(ctx context.Context, cfg *config.Config, log *slog.Logger, handed string) *Ahead {
	a := &Ahead{log: log, workers: make(map[device.UUID]*worker.Client)}
	a.found = readCards(handed, cfg.Transcoding.EncoderPreset)
	if len(a.found) == 0 || !cfg.Roles.Transcoder || cfg.Transcoding.Devices.None() {
		return a
	}
	ctx, cancel := context.WithTimeout(ctx, aheadTime)
	defer cancel()
	seen := gpus.Find(ctx, gpus.Options{Selection: cfg.Transcoding.Devices, Log: log}, modelconfig.GPUAnswerTime)
	start := NewStarter(cfg, log, &a.recorder, seen)
	var wg sync.WaitGroup
	for _, d := range seen.Devices() {
		if _, ok := a.found[d.UUID]; ok {
			wg.Go(func() { a.start(ctx, start, d) })
		}
	}
	wg.Wait()
	return a
}

// start starts a GPU's worker and looks whether it works.
func (a *Ahead) start(ctx context.Context, start *Starter, d device.GPU) {
	w, err := start.Start(ctx, d)
	if err != nil {
		a.log.Warn("the media worker of a GPU is started after the upgrade", "device", d.ID(), fault.Attr(err))
		return
	}
	err = devices.NewDevice(w, devices.ProbeOptions{Log: a.log}).Reprobe(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.workers[d.UUID] = w
	if err != nil && !taken(err) {
		a.log.Warn("a GPU is tested after the upgrade", "device", d.ID(), fault.Attr(err))
		a.found[d.UUID] = devices.Finding{}
	}
}

// taken reports whether a GPU did not work because the old process has all of its
// encoders or of its memory.
func taken(err error) bool {
	return errors.Is(err, fault.EncoderSessionsExhausted) || errors.Is(err, fault.GPUOutOfMemory)
}

// Record hands the events of these workers to a recorder.
func (a *Ahead) Record(to core.Recorder) {
	if a != nil {
		a.recorder.to.Store(&to)
	}
}

// Findings returns what the old process found of its GPUs.
func (a *Ahead) Findings() map[device.UUID]devices.Finding {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.found
}

// Take returns a GPU's worker, nil for none. The caller closes it.
func (a *Ahead) Take(d device.GPU) *worker.Client {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	w := a.workers[d.UUID]
	if w == nil || w.Device() != d.ID() {
		return nil
	}
	delete(a.workers, d.UUID)
	return w
}

// Close closes the workers that were not taken.
func (a *Ahead) Close() {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, w := range a.workers {
		_ = w.Close()
		delete(a.workers, id)
	}
}

// lateRecorder is the recorder of workers that begin before the node has one.
type lateRecorder struct {
	core.NopRecorder
	to atomic.Pointer[core.Recorder]
}

// WorkerRestarted passes the event on.
func (r *lateRecorder) WorkerRestarted(device, reason string) {
	if to := r.to.Load(); to != nil {
		(*to).WorkerRestarted(device, reason)
	}
}
