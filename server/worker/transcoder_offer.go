package worker

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/server/rpc"
)

// work is what the loop sees of the client.
type work struct{ *TranscoderClient }

var (
	_ UrgencyChecker = work{}
	_ Forgetter      = work{}
)

// Offer is capacity and capabilities, nil without either.
func (w work) Offer() []byte {
	r := w.request()
	if r.Capacity <= 0 || len(r.Capabilities.GetBitstring()) == 0 {
		return nil
	}
	for _, d := range r.Devices {
		d.Sessions, d.Limit = 0, 0 // they change all the time
	}
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(r)
	if err != nil {
		return nil // what we say of ourselves is no text
	}
	return b
}

// Urgent says that less is offered than before: the orchestrator would send what is
// refused here.
func (work) Urgent(offered, now []byte) bool {
	var before, after rpc.RegisterRequest
	if rpc.Unmarshal(offered, &before) != nil || rpc.Unmarshal(now, &after) != nil {
		return true
	}
	had, has := capability.Set(before.GetCapabilities().GetBitstring()),
		capability.Set(after.GetCapabilities().GetBitstring())
	return after.GetCapacity() < before.GetCapacity() || !had.In(has)
}

// Register asks an orchestrator for work.
func (w work) Register(
	ctx context.Context, conn grpc.ClientConnInterface, as Registration,
) (grpc.ServerStreamingClient[rpc.NotifySegment], error) {
	r := w.request()
	// Orchestrators refuse a worker without capacity permanently, even a draining one.
	r.Capacity = max(1, r.Capacity)
	r.Secret, r.Node, r.Worker, r.Instance, r.Draining = as.Secret, as.Node, as.Worker, as.Instance, as.Draining
	return rpc.NewTranscoderClient(conn).RegisterTranscoder(ctx, r)
}

func (c *TranscoderClient) request() *rpc.RegisterRequest {
	r := &rpc.RegisterRequest{Capacity: int64(c.capacity()), Capabilities: rpc.FromCapabilities(c.o.Capabilities())}
	if c.o.Devices != nil {
		for _, d := range c.o.Devices() {
			r.Devices = append(r.Devices, &rpc.WorkerDevice{Device: d.Name, Kind: d.Kind, Sessions: int32(d.Sessions),
				Limit: int32(d.Limit)})
		}
	}
	return r
}

// capacity returns what is offered. An estimate goes up and down all the time; a tenth more
// or less is not worth a new registration.
func (c *TranscoderClient) capacity() int {
	now := c.o.Capacity()
	c.mu.Lock()
	defer c.mu.Unlock()
	if now <= 0 || c.offeredCapacity == 0 || 10*max(now-c.offeredCapacity, c.offeredCapacity-now) > c.offeredCapacity {
		c.offeredCapacity = max(0, now)
	}
	return c.offeredCapacity
}
