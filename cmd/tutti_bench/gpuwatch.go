package main

import (
	"context"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/device"
)

// gpuFigures are what a GPU did during a measurement. Loads are means over it, in
// percent; the rest is the most there was.
type gpuFigures struct {
	Device  string         `json:"device"`
	Model   string         `json:"model"`
	Memory  device.Bytes   `json:"peakBytes"`
	GPU     device.Percent `json:"gpuPercent"`
	Encoder device.Percent `json:"encoderPercent"`
	Decoder device.Percent `json:"decoderPercent"`
	// EncoderSessions and Temperature are of all processes, and in degrees Celsius.
	EncoderSessions int `json:"peakEncoderSessions"`
	Temperature     int `json:"peakTemperature"`
	// Throttled says why the GPU slowed itself down, "" when it did not.
	Throttled string `json:"throttled,omitempty"`
}

// gpuWatch collects samples of the GPUs of an inventory.
type gpuWatch struct {
	inventory device.Inventory
	samples   map[device.UUID][]device.Sample
}

// watchPeriod is how often an inventory is looked at; it looks once a second.
const watchPeriod = 500 * time.Millisecond

// watching looks at an inventory, if there is one, until the returned function is
// called, which says what was seen.
func watching(ctx context.Context, inventory device.Inventory) (seen func() []gpuFigures) {
	if inventory == nil {
		return func() []gpuFigures { return nil }
	}
	w := &gpuWatch{inventory: inventory}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { w.run(ctx) })
	return func() []gpuFigures {
		cancel()
		wg.Wait()
		return w.figures()
	}
}

// run looks until ctx ends.
func (w *gpuWatch) run(ctx context.Context) {
	w.samples = make(map[device.UUID][]device.Sample)
	ticker := time.NewTicker(watchPeriod)
	defer ticker.Stop()
	for {
		w.look()
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (w *gpuWatch) look() {
	for _, d := range w.inventory.Devices() {
		s, ok := w.inventory.Sample(d.UUID)
		have := w.samples[d.UUID]
		if ok && (len(have) == 0 || s.At.After(have[len(have)-1].At)) {
			w.samples[d.UUID] = append(have, s)
		}
	}
}

// figures returns the outcome, after run.
func (w *gpuWatch) figures() []gpuFigures {
	var out []gpuFigures
	for _, d := range w.inventory.Devices() {
		samples := w.samples[d.UUID]
		if len(samples) == 0 {
			continue
		}
		f := gpuFigures{Device: string(d.UUID), Model: d.Name}
		for _, s := range samples {
			f.GPU += s.GPU
			f.Encoder += s.Encoder
			f.Decoder += s.Decoder
			f.Memory = max(f.Memory, s.Used)
			f.EncoderSessions = max(f.EncoderSessions, s.EncoderSessions)
			f.Temperature = max(f.Temperature, s.Temperature)
			if s.Throttled != "" {
				f.Throttled = s.Throttled
			}
		}
		n := device.Percent(len(samples))
		f.GPU, f.Encoder, f.Decoder = f.GPU/n, f.Encoder/n, f.Decoder/n
		out = append(out, f)
	}
	return out
}
