package media

import (
	"context"
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/transcoder/devices"
	"github.com/tuttinode/tutti/transcoder/gpus"
)

// addGPUs adds what watches the GPUs that were asked for, and what keeps a media
// worker on each of them. A machine without any starts all the same; the board says
// what is wrong, and the GPUs are taken when they show.
func (p *Part) addGPUs(recorder core.Recorder) error {
	watcher := gpus.New(gpus.Options{
		Selection: p.Config.Transcoding.Devices, Board: p.Board, Log: p.Log,
		Allowed: func(id device.UUID) device.Bytes { return p.Budget.Reserved(id, device.Models) },
	})
	p.GPUs = watcher
	if p.Metrics != nil {
		if err := p.Metrics.WatchGPUs(watcher); err != nil {
			return fmt.Errorf("register metrics of GPUs: %w", err)
		}
	}
	p.Add(watcher)
	p.keeper = devices.NewKeeper(devices.Options{
		Inventory: watcher, Start: p.startGPU(watcher, recorder),
		Test: p.Config.Transcoding.TestAtStart, Inherited: p.ahead.Findings(),
		// Untested, a GPU is taken at its vendor's word: what the usual ones can do.
		Base:   device.Resources{Capabilities: p.Offered(capability.SoftwareTranscoder().With(capability.HEVCEncode))},
		Adjust: p.adjust,
		Placer: p.Pool, Use: p.memoryUse, Budget: p.Budget, Board: p.Board, Log: p.Log,
	})
	p.Add(p.keeper)
	return nil
}

// startGPU starts the media worker of a GPU, or takes the one that was started before
// this process took another's place.
func (p *Part) startGPU(inventory device.Inventory, recorder core.Recorder) func(context.Context,
	device.GPU) (devices.Worker, error) {
	s := NewStarter(p.Config, p.Log, recorder, inventory)
	ahead := p.ahead
	ahead.Record(recorder)
	return func(ctx context.Context, d device.GPU) (devices.Worker, error) {
		client := ahead.Take(d)
		var err error
		if client == nil {
			client, err = s.Start(ctx, d)
		}
		if err != nil {
			return nil, err
		}
		p.addWorker(client)
		return client, nil
	}
}

// adjust makes a GPU's offer the node's.
func (p *Part) adjust(o device.Resources) device.Resources {
	o.Capabilities = p.Offered(o.Capabilities.Bits)
	return o
}

// memoryUse returns how much of a GPU the sessions on it are reckoned to use.
func (p *Part) memoryUse(id string) device.Bytes {
	for _, u := range p.Pool.Devices() {
		if !u.Remote && u.Device == id {
			return device.Bytes(u.Memory)
		}
	}
	return 0
}

// FindingsText returns the findings of this node's GPUs as text, "" for none.
func (p *Part) FindingsText() string {
	if p.keeper == nil {
		return ""
	}
	text, err := FindingsText(p.Config.Transcoding.EncoderPreset, p.keeper.Findings())
	if err != nil {
		p.Log.Warn("the GPUs are tested again after the upgrade", "err", err)
		return ""
	}
	return text
}
