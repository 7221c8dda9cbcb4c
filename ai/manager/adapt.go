package manager

import (
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net/http"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/core/inference"
)

var _ Engine = (*docker.Engine)(nil)

// Entries converts the entries of a models file. Those of serverless runners are server/livevideo's.
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
		Model: e.Model, URL: e.URL, Token: e.Token, CA: e.CA, ServedModel: e.ServedModel, Shared: e.Shared,
		Warm: e.Warm, Capacity: e.Capacity,
		GPUs: e.GPUs.Count, GPUIDs: e.GPUs.IDs, Image: e.Image, Env: e.Environment(),
		Sandbox: e.Sandbox, RequestURLs: e.RequestURLs, Stated: e.Features,
	}
	gpus := int64(max(e.GPUs.Count, 1))
	out.MemoryBytes = (e.VRAM + gpus - 1) / gpus
	out.MemoryShare = e.MemoryShare()
	if e.LLM != nil {
		out.AssumedSlots, out.AssumedContext = e.LLM.MaxSeqs, e.LLM.MaxModelLen
	}
	return out
}

// Transport sends requests to runners.
type Transport interface {
	http.RoundTripper
	CloseIdleConnections()
}

// trusting makes the standard library's transport for a server with a CA.
func trusting(roots *x509.CertPool) Transport {
	return &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots}, DisableCompression: true, MaxResponseHeaderBytes: 64 << 10,
	}
}

// Clients makes HTTP back-ends that share transport (nil gives each its own) and wait for
// answers within limits. An entry with a CA gets a transport of its own from trusting.
func Clients(
	transport http.RoundTripper, trusting func(roots *x509.CertPool) Transport, limits inference.Limits, log *slog.Logger,
) Backends {
	return func(e *Entry, url string) (backend.Backend, error) {
		o := backend.Options{
			URL: url, Token: e.Token, Model: e.Model.ID, Served: e.ServedModel, Shared: e.Shared,
			Pipeline: e.Model.Capability, Container: e.URL == "", Transport: transport, Limits: limits, Log: log,
		}
		if e.CA != "" {
			own := trusting(models.Roots(e.CA))
			o.Transport, o.CloseTransport = own, own.CloseIdleConnections
		}
		return backend.New(o)
	}
}

// Images chooses the image of an entry: its own, else the operator's override.
func Images(i docker.Images) func(e *Entry) (string, error) {
	return func(e *Entry) (string, error) {
		return i.For(e.Model.Capability.Pipeline(), e.Model.ID, e.Image)
	}
}
