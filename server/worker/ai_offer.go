package worker

import (
	"context"
	"maps"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/rpc"
)

// Offer returns the models and their states, without what changes with every job; nil on a
// machine without any.
func (w *aiWork) Offer() []byte {
	req := w.offer()
	if len(req.GetModels()) == 0 {
		return nil
	}
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(req)
	if err != nil {
		// A text that is not UTF-8: it is sent again each time, and refused.
		return nil
	}
	return b
}

// Urgent reports whether the set of models for orchestrators of the network changed: see
// worker.UrgencyChecker. Changes of loading state or capacity are not worth the running
// jobs.
func (w *aiWork) Urgent(offered, now []byte) bool {
	a, b := offeredModels(offered), offeredModels(now)
	return a == nil || b == nil || !maps.Equal(a, b)
}

// Empty reports whether an offer had no model for an orchestrator of the network: see
// worker.EmptyOfferChecker.
func (w *aiWork) Empty(offered []byte) bool { return len(offeredModels(offered)) == 0 }

// offeredModels returns the models of an offer that accept jobs; nil for an invalid offer.
func offeredModels(offer []byte) map[inference.Model]bool {
	var req rpc.RegisterAIWorkerRequest
	if rpc.Unmarshal(offer, &req) != nil {
		return nil
	}
	models := make(map[inference.Model]bool)
	for id, per := range req.GetCapabilities().GetConstraints().GetPerCapability() {
		for name := range per.GetModels() {
			models[inference.Model{Capability: capability.ID(id), ID: name}] = true
		}
	}
	return models
}

// Register opens the stream of a registration.
func (w *aiWork) Register(
	ctx context.Context, conn grpc.ClientConnInterface, r Registration,
) (grpc.ServerStreamingClient[rpc.NotifyAIJob], error) {
	req := w.offer()
	req.Secret, req.Node, req.Worker, req.Instance, req.Draining = r.Secret, r.Node, r.Worker, r.Instance, r.Draining
	return rpc.NewAIWorkerClient(conn).RegisterAIWorker(ctx, req)
}

// offer returns the registration message without the worker's identity. The available models are
// in the capabilities, the network's form; the states of all models are in tutti's own field. Live video is
// in that one alone: orchestrators of the network do not place it on workers.
func (w *aiWork) offer() *rpc.RegisterAIWorkerRequest {
	c := capability.Offer(capability.Default(), w.opt.Version)
	c.Constraints.PerCapability = make(map[capability.ID]capability.Models)
	req := new(rpc.RegisterAIWorkerRequest)
	states := w.opt.Models.Models()
	for i := range states {
		s := &states[i]
		req.Models = append(req.Models, workerModel(s))
		if s.Offered() && s.Model.Capability != capability.LiveVideoToVideo {
			add(&c, s)
		}
	}
	req.Capabilities = rpc.FromCapabilities(c)
	return req
}

// add adds a model to the capabilities. A model that is not loaded reports no capacity and
// counts as one job.
func add(c *capability.Capabilities, s *inference.ModelState) {
	id := s.Model.Capability
	models := c.Constraints.PerCapability[id]
	if models == nil {
		models = make(capability.Models)
		c.Constraints.PerCapability[id] = models
		c.Bits = c.Bits.With(id)
	}
	m := capability.Model{Warm: s.State == inference.Ready, Capacity: uint32(max(1, s.Capacity)),
		RunnerVersion: s.RunnerVersion}
	models[s.Model.ID] = m
	c.Capacities[id] += m.Capacity
}

func workerModel(s *inference.ModelState) *rpc.WorkerModel {
	m := &rpc.WorkerModel{
		Capability: uint32(s.Model.Capability), ModelId: s.Model.ID,
		State: string(s.State), Code: string(s.Code), Reason: s.Reason,
		Context: int64(s.Context), Devices: s.Devices, External: s.External,
		Capacity: uint32(max(0, s.Capacity)), Warm: s.Warm,
		Features: s.Features.Has.Words(), Lacks: s.Features.Lacks.Words(),
	}
	for _, op := range s.Operations {
		m.Operations = append(m.Operations, string(op))
	}
	return m
}
