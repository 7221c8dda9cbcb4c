package main

import (
	"context"
	"crypto/rand"
	"errors"
	mrand "math/rand/v2"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/release"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/metrics"
	"github.com/tuttinode/tutti/server/worker/transcoder"
)

// addRemoteTranscoder adds the devices of a node without orchestrator, and what
// registers them with orchestrators elsewhere.
func (n *node) addRemoteTranscoder(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, n.media.Close())
		}
	}()
	if err := n.media.AddPool(ctx, n.Recorder(metrics.Transcoder)); err != nil {
		return err
	}
	n.limiter = n.media.Pool
	n.WatchSessions(metrics.Transcoder, func() (int, int) { u := n.media.Pool.Usage(); return u.Sessions, u.Limit })
	at, err := n.registration()
	if err != nil {
		return err
	}
	client, err := transcoder.New(transcoder.Options{
		Orchestrators: at.Orchestrators, Secret: at.Secret, TLS: at.TLS, Name: at.Worker, Version: release.Version,
		Transcoder: n.media.Transcoder(), Capacity: n.capacity, Capabilities: n.media.Pool.Capabilities, Devices: n.ownDevices, Stores: at.Stores,
		Log: n.Log, Board: n.Board, Recorder: n.Recorder(metrics.Transcoder), Now: time.Now, Random: rand.Reader, Chance: mrand.Float64,
	})
	if err != nil {
		return err
	}
	n.Add(client)
	return nil
}

// capacity is how many sessions this node takes; 0 while no device is ready.
func (n *node) capacity() int {
	if n.media.Pool.Ready() == 0 {
		return 0
	}
	use := n.media.Pool.Usage()
	switch {
	case use.Refusal != nil:
		return 0
	case use.Limit > 0:
		return use.Limit
	}
	return orchestrate.DefaultLimit // nothing bounds it, and a registration needs a number
}

// ownDevices are this machine's devices for whoever operates the orchestrator.
func (n *node) ownDevices() []transcoder.Device {
	kinds := make(map[string]string)
	if n.media.GPUs != nil {
		for _, d := range n.media.GPUs.Devices() {
			kinds[d.ID()] = d.Name
		}
	}
	var out []transcoder.Device
	for _, u := range n.media.Pool.Devices() {
		out = append(out, transcoder.Device{Name: u.Device, Kind: kinds[u.Device], Sessions: u.Sessions, Limit: u.Limit})
	}
	return out
}
