package adminview

import (
	"context"
	"errors"
	"strings"

	"github.com/tuttinode/tutti/cmd/tutti/internal/media"
	"github.com/tuttinode/tutti/cmd/tutti/internal/orchestrator"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admin"
)

// workforce is all that works for the node, for the admin API: devices of this
// machine, transcoders and AI workers of others.
type workforce struct{ p *Parts }

// workers is nil on a node without devices and services for workers.
func workers(p *Parts) admin.Workers {
	if p.Media.Pool == nil && p.RemoteWorkers() == nil {
		return nil
	}
	return workforce{p}
}

// Workers returns all of them: devices in the order in which they came, then AI workers.
func (w workforce) Workers() []adminapi.Worker {
	var out []adminapi.Worker
	if w.p.Media.Pool != nil {
		for _, u := range w.p.Media.Pool.Devices() {
			out = append(out, ofDevice(&u))
		}
	}
	if d := w.p.RemoteWorkers(); d != nil {
		for _, t := range d.Transcoders.Workers() {
			for i := range out {
				if out[i].Remote && out[i].Name == t.Name {
					out[i].Address, out[i].Node = t.Addr, t.Node
				}
			}
		}
		out = append(out, ofAIWorkers(d)...)
	}
	return out
}

func ofDevice(u *device.Use) adminapi.Worker {
	return adminapi.Worker{
		Name: media.DeviceName(u), Kind: "transcoder", Remote: u.Remote, State: u.State, Code: string(u.Code),
		Reason:   u.Reason,
		Sessions: u.Sessions, Limit: u.Limit, Segments: u.Segments, Encoders: u.Encoders, Memory: u.Memory, Ratio: u.Ratio,
		EncoderLimit: u.EncoderLimit, SessionMemory: u.SessionMemory, Cost: u.Cost,
		Done: u.Done, Failed: u.Failed, Since: u.Since.UTC(), Models: []string{},
	}
}

func ofAIWorkers(d *orchestrator.Workers) (out []adminapi.Worker) {
	for _, a := range d.AI.Workers() {
		one := adminapi.Worker{
			Name: a.Name, Kind: "ai", Remote: true, Address: a.Addr, Node: a.Node, State: device.Ready, Since: a.Since.UTC(),
			Models: []string{},
			Done:   a.Done, Failed: a.Failed,
		}
		if a.Draining {
			one.State = device.Draining
		}
		for i := range a.Models {
			m := &a.Models[i]
			one.Models = append(one.Models, m.Model.String())
			one.Segments += m.InUse
			one.Limit += m.Capacity
		}
		out = append(out, one)
	}
	return out
}

// Drain keeps new work from a device or remote transcoder. It does not wait.
func (w workforce) Drain(name string) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return w.all(name, func() error {
		err := w.p.Media.Pool.DrainDevice(ctx, strings.TrimPrefix(name, "gpu "))
		if errors.Is(err, context.Canceled) {
			return nil
		}
		return err
	}, func() error { return w.p.RemoteWorkers().AI.Drain(name) })
}

// all does something to whatever has the name: a process that is transcoder and AI
// worker is both. The error is DeviceUnknown where nothing has it.
func (w workforce) all(name string, device, model func() error) error {
	err := fault.New(fault.DeviceUnknown, "find worker", name)
	for _, try := range []struct {
		can bool
		do  func() error
	}{{w.p.Media.Pool != nil, device}, {w.p.RemoteWorkers() != nil, model}} {
		if !try.can {
			continue
		}
		switch did := try.do(); {
		case did == nil:
			err = nil
		case fault.CodeOf(did) != fault.DeviceUnknown:
			return did
		}
	}
	if err == nil {
		return nil
	}
	return err
}

// Resume gives a drained one work again.
func (w workforce) Resume(name string) error {
	return w.all(name, func() error { return w.p.Media.Pool.ResumeDevice(strings.TrimPrefix(name, "gpu ")) },
		func() error { return w.p.RemoteWorkers().AI.Resume(name) })
}
