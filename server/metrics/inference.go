package metrics

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
)

// Inference are the metrics of AI jobs of one role. It implements inference.Recorder and is
// safe for concurrent use. Its labels name models, orchestrators and keys; a model gets a
// series only once a runner served it, so that clients cannot invent names, and all label
// sets are bounded.
type Inference struct {
	series *inferenceSeries
	sets   *labelSets
}

var _ inference.Recorder = (*Inference)(nil)

// Inference returns the recorder of AI jobs of one role, a node type. Asking
// again for the same type returns the same one. It is for wiring, from one
// goroutine.
func (m *Metrics) Inference(nodeType string) *Inference {
	if r, ok := m.inference[nodeType]; ok {
		return r
	}
	s := newInferenceSeries(m.base(nodeType))
	r := &Inference{series: s, sets: newLabelSets(s)}
	m.inference[nodeType] = r
	return r
}

// JobDone counts a job.
func (r *Inference) JobDone(f *inference.JobStats) {
	served := f.Orchestrator != "" || f.Code == ""
	model := r.sets.model(f.Model, served)
	r.account(model, f)
	if served {
		r.flow(model, f)
	}
}

// account counts a key's use of a model.
func (r *Inference) account(model modelLabels, f *inference.JobStats) {
	a := r.sets.account(model, f.Key)
	if f.Code == "" {
		a.requested.Inc()
		price := 0.0
		if f.Price != nil {
			price, _ = f.Price.Float64()
		}
		a.price.Set(price)
	}
	a.requests.WithLabelValues(strconv.Itoa(f.Status), r.sets.code(string(f.Code))).Inc()
	if f.Code != "" {
		sender := ""
		if f.Sender != (core.Address{}) {
			sender = r.sets.senders.of(f.Sender.String())
		}
		r.series.errors.WithLabelValues(r.sets.code(string(f.Code)), model.pipeline, model.name, sender).Inc()
	}
	a.in.Add(count(f.Usage.Prompt))
	a.out.Add(count(f.Usage.Completion))
	a.cached.Add(count(f.Usage.Cached))
	a.units.Add(max(float64(f.Units), 0))
	if f.Usage.Estimated {
		a.estimated.Inc()
	}
}

// flow observes a model's latency at an orchestrator.
func (r *Inference) flow(model modelLabels, f *inference.JobStats) {
	w := r.sets.flow(model, f.Orchestrator)
	observe(w.queue, f.Queue, f.TraceID)
	observe(w.own, f.Own, f.TraceID)
	observe(w.total, f.Total, f.TraceID)
	if f.Tries > 1 {
		w.retries.Add(float64(f.Tries - 1))
	}
	if f.Hedged {
		w.hedges.Inc()
	}
	if f.Stream && f.FirstByte > 0 {
		observe(w.first, f.FirstByte, f.TraceID)
		if f.Events > 1 && f.Total > f.FirstByte {
			w.between.Observe((f.Total - f.FirstByte).Seconds() / float64(f.Events-1))
		}
	}
	if units := scoreUnits(f); units > 0 && f.Code == "" {
		w.score.Set(f.Total.Seconds() / units)
	}
}

// observe counts a time, with its trace as an example where there is one.
func observe(h prometheus.Observer, took time.Duration, traceID string) {
	if e, ok := h.(prometheus.ExemplarObserver); ok && traceID != "" {
		e.ObserveWithExemplar(took.Seconds(), prometheus.Labels{"trace_id": traceID})
		return
	}
	h.Observe(took.Seconds())
}

// scoreUnits returns what the network divides a job's seconds by for its score of
// latency: tokens of text, else the units of the price.
func scoreUnits(f *inference.JobStats) float64 {
	if f.Model.Capability == capability.LLM {
		return count(f.Usage.Total())
	}
	return float64(f.Units)
}

// count returns a non-negative number of tokens: runners may report any value.
func count(t inference.Tokens) float64 { return float64(max(t, 0)) }

// ModelChanged counts a model's change of state.
func (r *Inference) ModelChanged(s *inference.ModelState) {
	model := r.sets.model(s.Model, true)
	r.series.changes.WithLabelValues(model.pipeline, model.name, string(s.State), r.sets.code(string(s.Code))).Inc()
}

// ResultReceived counts a remote worker's result.
func (r *Inference) ResultReceived(m inference.Model, took time.Duration, whole bool) {
	model := r.sets.model(m, true)
	if !whole {
		r.series.unsaved.WithLabelValues(model.pipeline, model.name).Inc()
		return
	}
	r.series.downloaded.WithLabelValues(model.pipeline, model.name).Inc()
	r.series.downloadTime.WithLabelValues(model.pipeline, model.name).Observe(took.Seconds())
}

// inferenceSeries are the families that jobs are counted in.
type inferenceSeries struct {
	requested, requests, errors, tokens, estimated, units, retries, hedges, changes *prometheus.CounterVec
	downloaded, unsaved                                                             *prometheus.CounterVec
	score, price                                                                    *prometheus.GaugeVec
	downloadTime                                                                    *prometheus.HistogramVec
	first, between, queue, own, total                                               *prometheus.HistogramVec
}

func newInferenceSeries(reg prometheus.Registerer) *inferenceSeries {
	b := &builder{reg: reg}
	model := []string{"pipeline", "model_name"}
	account := append(model[:2:2], "key")
	flow := append(model[:2:2], "orchestrator_uri")
	s := &inferenceSeries{
		requested: b.counter("livepeer_ai_models_requested", "AI jobs that were finished.", model...),
		errors: b.counter("livepeer_ai_request_errors", "AI jobs that failed, by fault code.", "error_code", "pipeline",
			"model_name", "sender"),
		requests: b.counter("tutti_ai_requests_total", "AI jobs by their answer.",
			append(account[:3:3], "status", "error_code")...),
		tokens: b.counter("tutti_ai_tokens_total", "Tokens as runners reported them: in (prompt), of those cached, and out.",
			append(account[:3:3], "kind")...),
		estimated: b.counter("tutti_ai_usage_estimated_total",
			"AI jobs whose runner reported no usage, so that events were counted.", account...),
		units:   b.counter("tutti_ai_units_total", "Units that AI jobs were priced at.", account...),
		retries: b.counter("tutti_ai_retries_total", "Further orchestrators that were asked before one answered.", flow...),
		hedges: b.counter("tutti_ai_hedges_total", "Streams for which a second orchestrator was asked because the first "+
			"was late; the label names the one that answered.", flow...),
		changes: b.counter("tutti_ai_model_changes_total", "States that models of this node entered.", "pipeline",
			"model_name", "state", "code"),
		score: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "livepeer_ai_request_latency_score",
			Help: "Seconds of the last AI job over its units; for llm over its tokens.",
		}, flow),
		price: b.gauges("livepeer_ai_request_price", "Price of a unit of the last AI job that was finished, in wei.",
			model...),
		downloaded: b.counter("livepeer_ai_result_downloaded_total", "Results that came from remote workers.", model...),
		downloadTime: b.histogram("livepeer_ai_result_download_time_seconds",
			"Time in which a result came from a remote worker.", loadBuckets(), model...),
		unsaved: b.counter("livepeer_ai_result_save_failed_total",
			"Results of remote workers that broke off or could not be kept.", model...),
		first: b.histogram("tutti_ai_first_token_seconds", "Time from a stream's request to its first byte.",
			firstBuckets(), flow...),
		between: b.histogram("tutti_ai_inter_token_seconds", "Mean time between a stream's events.", betweenBuckets(),
			flow...),
		queue: b.histogram("tutti_ai_queue_seconds", "Time that AI jobs waited for a place.", queueBuckets(), flow...),
		own: b.histogram("tutti_ai_overhead_seconds",
			"Time of AI jobs that this node took for itself, without waiting for others.", ownBuckets(), flow...),
		total: b.histogram("tutti_ai_request_seconds", "Time from an AI job's request to the end of its answer.",
			totalBuckets(), flow...),
	}
	reg.MustRegister(s.score)
	return s
}

// Buckets of AI jobs, in seconds.
func firstBuckets() []float64 {
	return []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120}
}

func betweenBuckets() []float64 {
	return []float64{.001, .0025, .005, .01, .02, .03, .05, .075, .1, .2, .5, 1}
}

func queueBuckets() []float64 { return []float64{0, .01, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60} }

func ownBuckets() []float64 {
	return []float64{.00005, .0001, .00025, .0005, .001, .0025, .005, .01, .05, .1}
}

func totalBuckets() []float64 {
	return []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600}
}
