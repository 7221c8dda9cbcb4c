// Package metrics exports the node's metrics to Prometheus, under the names of the existing
// node (livepeer_…), and its own names (tutti_…) for metrics that have none there.
//
// It implements core.Recorder and has a registry of its own; nothing is on the
// default registry. cmd/tutti makes one Metrics per process and hands a Recorder
// to each role; server/admin serves the handler.
//
// The dashboard files keep what the operator's page shows in addition to the present state: the
// live sessions with their speed, and the last minutes of work in steps. DashboardSessions wraps a
// core.Transcoder, DashboardSeries a core.Recorder and an inference.Recorder. Their memory is
// bounded for any number of streams; nothing of them is exported to Prometheus.
package metrics

import (
	"log/slog"
	"net/http"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Node types, as the base label node_type spells them.
const (
	Orchestrator = "orch"
	Transcoder   = "trcr"
	AIWorker     = "aiwk"
	Gateway      = "bctr"
	Redeemer     = "rdmr"
	Other        = "dflt"
)

// Options identify the node.
type Options struct {
	// NodeID is the base label node_id: account address, dash, host name.
	NodeID string
	// Version is the program's version.
	Version string
	// Revision is the source revision it was built from, "" when unknown.
	Revision string
	// PerStream adds the label manifest_id to series of single streams; ClientIP adds client_ip to those of what
	// clients send, and implies PerStream.
	PerStream, ClientIP bool
	// Exemplars serves the OpenMetrics form, which alone has them, to those that ask for it.
	Exemplars bool
}

// Metrics is the process's registry.
type Metrics struct {
	opts      Options
	registry  *prometheus.Registry
	recorders map[string]*Recorder
	inference map[string]*Inference
	tickets   *Tickets
}

// New makes the registry with the series of the process itself: go_*, process_*
// and build information.
func New(opts Options) *Metrics {
	m := &Metrics{
		opts: opts, registry: prometheus.NewRegistry(),
		recorders: make(map[string]*Recorder), inference: make(map[string]*Inference),
	}
	m.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		constant("tutti_build_info", "What this program was built from; always 1.", prometheus.Labels{
			"version": opts.Version, "revision": opts.Revision, "goversion": runtime.Version(),
		}),
	)
	return m
}

// constant returns a gauge that is always 1, for its labels.
func constant(name, help string, labels prometheus.Labels) prometheus.Collector {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels})
	g.Set(1)
	return g
}

// Recorder returns the recorder of one role, a node type. Asking again for the
// same type returns the same recorder. It is for wiring, from one goroutine.
func (m *Metrics) Recorder(nodeType string) *Recorder {
	if r, ok := m.recorders[nodeType]; ok {
		return r
	}
	m.registry.MustRegister(constant("livepeer_versions", "Version of the node; always 1.", prometheus.Labels{
		"node_type": nodeType, "compiler": runtime.Compiler, "goos": runtime.GOOS,
		"goversion": runtime.Version(), "livepeerversion": m.opts.Version,
	}))
	r := newRecorder(m.base(nodeType), nodeType, newStreams(m.opts.PerStream, m.opts.ClientIP))
	m.recorders[nodeType] = r
	return r
}

// base registers series of one role.
func (m *Metrics) base(nodeType string) prometheus.Registerer {
	return prometheus.WrapRegistererWith(prometheus.Labels{"node_id": m.opts.NodeID, "node_type": nodeType}, m.registry)
}

// Register adds a collector with the node's base labels and node type Other, for
// figures of parts that have no Recorder method.
func (m *Metrics) Register(c prometheus.Collector) error {
	return m.base(Other).Register(c)
}

// Handler serves the Prometheus text. A collector's error is logged and leaves
// out only that collector's series.
func (m *Metrics) Handler(log *slog.Logger) http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog:            slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ErrorHandling:       promhttp.ContinueOnError,
		MaxRequestsInFlight: 4,
		EnableOpenMetrics:   m.opts.Exemplars,
		Timeout:             10 * time.Second,
	})
}
