package worker

import (
	"context"
	"crypto/rand"
	"errors"
	mrand "math/rand/v2"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/metrics"
	"github.com/tuttinode/tutti/server/worker"
)

// addTranscoder adds the devices of a node without orchestrator, and what
// registers them with orchestrators elsewhere.
func (p *Part) addTranscoder(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, p.media.Close())
		}
	}()
	if err := p.media.AddPool(ctx, p.Recorder(metrics.Transcoder)); err != nil {
		return err
	}
	p.WatchSessions(metrics.Transcoder, func() (int, int) { u := p.media.Pool.Usage(); return u.Sessions, u.Limit })
	at, err := p.registration()
	if err != nil {
		return err
	}
	client, err := worker.NewTranscoder(worker.TranscoderOptions{
		Orchestrators: at.Orchestrators, Secret: at.Secret, TLS: at.TLS, Name: at.Worker, Version: process.Version,
		Transcoder: p.media.Transcoder(), Capacity: p.capacity, Capabilities: p.media.Pool.Capabilities,
		Devices: p.ownDevices, Stores: at.Stores, MaxInput: nodeenv.Memory(worker.DefaultInputBytes),
		Log: p.Log, Board: p.Board, Recorder: p.Recorder(metrics.Transcoder), Now: time.Now, Random: rand.Reader,
		Chance: mrand.Float64, Tracer: p.Tracer,
	})
	if err != nil {
		return err
	}
	p.Add(client)
	return nil
}

// capacity returns how many sessions this node takes; 0 while no device is ready.
func (p *Part) capacity() int {
	if p.media.Pool.Ready() == 0 {
		return 0
	}
	use := p.media.Pool.Usage()
	switch {
	case use.Refusal != nil:
		return 0
	case use.Limit > 0:
		return use.Limit
	}
	return orchestrate.DefaultLimit // nothing bounds it, and a registration needs a number
}

// ownDevices are this machine's devices for the orchestrator's operator.
func (p *Part) ownDevices() []worker.Device {
	kinds := make(map[string]string)
	if p.media.GPUs != nil {
		for _, d := range p.media.GPUs.Devices() {
			kinds[d.ID()] = d.Name
		}
	}
	var out []worker.Device
	for _, u := range p.media.Pool.Devices() {
		out = append(out, worker.Device{Name: u.Device, Kind: kinds[u.Device], Sessions: u.Sessions, Limit: u.Limit})
	}
	return out
}
