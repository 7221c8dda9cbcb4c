package main

import (
	"context"
	"fmt"

	"github.com/tuttinode/tutti/cmd/tutti/internal/media"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/gpu"
	"github.com/tuttinode/tutti/core/placement"
	"github.com/tuttinode/tutti/transcoder/devices"
	"github.com/tuttinode/tutti/transcoder/gpus"
	"github.com/tuttinode/tutti/transcoder/probe"
)

// addGPUs adds what watches the GPUs that were asked for, and what keeps a media
// worker on each of them. A machine without any starts all the same; the board says
// what is wrong, and the cards are taken when they show.
func (n *node) addGPUs(recorder core.Recorder) error {
	watcher := gpus.New(gpus.Options{
		Selection: n.Config.Transcoding.Devices, Board: n.Board, Log: n.Log,
		Allowed: func(id gpu.UUID) gpu.Bytes { return n.budget.Reserved(id, gpu.Models) },
	})
	n.gpus = watcher
	if n.Metrics != nil {
		if err := n.Metrics.WatchGPUs(watcher); err != nil {
			return fmt.Errorf("register metrics of GPUs: %w", err)
		}
	}
	n.Add(watcher)
	n.keeper = devices.New(devices.Options{
		Inventory: watcher, Start: n.startGPU(watcher, recorder),
		Test: n.Config.Transcoding.TestAtStart, Inherited: n.ahead.Findings(),
		// Untested, a card is taken at its vendor's word: what the usual ones can do.
		Base:   placement.Offer{Capabilities: n.offered(capability.SoftwareTranscoder().With(capability.HEVCEncode))},
		Adjust: n.adjust,
		Placer: n.media, Use: n.memoryUse, Budget: n.budget, Board: n.Board, Log: n.Log,
	})
	n.Add(n.keeper)
	return nil
}

// startGPU starts the media worker of a card, or takes the one that was started before
// this process took another's place.
func (n *node) startGPU(inventory gpu.Inventory, recorder core.Recorder) func(context.Context, gpu.Device) (probe.Worker, error) {
	s := media.NewStarter(n.Config, n.Log, recorder, inventory)
	ahead := n.ahead
	ahead.Record(recorder)
	return func(ctx context.Context, d gpu.Device) (probe.Worker, error) {
		client := ahead.Take(d)
		var err error
		if client == nil {
			client, err = s.Start(ctx, d)
		}
		if err != nil {
			return nil, err
		}
		n.addWorker(client)
		return client, nil
	}
}

// adjust makes a card's offer the node's.
func (n *node) adjust(o placement.Offer) placement.Offer {
	o.Capabilities = n.offered(o.Capabilities.Bits)
	return o
}

// memoryUse is how much of a card the sessions on it are reckoned to use.
func (n *node) memoryUse(device string) gpu.Bytes {
	for _, u := range n.media.Devices() {
		if !u.Remote && u.Device == device {
			return gpu.Bytes(u.Memory)
		}
	}
	return 0
}

// handedCards are the findings of this node's GPUs as text, "" for none.
func (n *node) handedCards() string {
	if n.keeper == nil {
		return ""
	}
	text, err := media.FindingsText(n.Config.Transcoding.EncoderPreset, n.keeper.Findings())
	if err != nil {
		n.Log.Warn("the GPUs are tested again after the upgrade", "err", err)
		return ""
	}
	return text
}
