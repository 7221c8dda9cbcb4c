package manager

import (
	"log/slog"
	"net/http"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/core/inference"
)

var _ Engine = (*docker.Engine)(nil)

// Entries converts the entries of a models file. Those of serverless runners are server/livevideo/serverless's.
func Entries(c *models.Config) []Entry {
	var out []Entry
	for i := range c.Entries {
		if e := &c.Entries[i]; !e.Remote && !e.Serverless() {
			out = append(out, entry(e))
		}
	}
	return out
}

func entry(e *models.Entry) Entry {
	out := Entry{
		Model: e.Model, URL: e.URL, Token: e.Token, ServedModel: e.ServedModel,
		Warm: e.Warm, Capacity: e.Capacity,
		GPUs: e.GPUs.Count, GPUIDs: e.GPUs.IDs, Image: e.Image, Env: e.Environment(),
		Sandbox: e.Sandbox, RequestURLs: e.RequestURLs,
	}
	gpus := int64(max(e.GPUs.Count, 1))
	out.MemoryBytes = (e.VRAM + gpus - 1) / gpus
	out.MemoryShare = e.MemoryShare()
	if e.LLM != nil {
		out.AssumedSlots = e.LLM.MaxSeqs
	}
	return out
}

// Clients makes HTTP back-ends that share transport (nil gives each its own) and wait for
// answers within limits.
func Clients(transport http.RoundTripper, limits inference.Limits, log *slog.Logger) Backends {
	return func(e *Entry, url string) (backend.Backend, error) {
		return backend.New(backend.Options{
			URL: url, Token: e.Token, Model: e.Model.ID, Served: e.ServedModel,
			Pipeline: e.Model.Capability, Container: e.URL == "", Transport: transport, Limits: limits, Log: log,
		})
	}
}

// Images chooses the image of an entry: its own, else the operator's override.
func Images(i docker.Images) func(e *Entry) (string, error) {
	return func(e *Entry) (string, error) {
		return i.For(e.Model.Capability.Pipeline(), e.Model.ID, e.Image)
	}
}
