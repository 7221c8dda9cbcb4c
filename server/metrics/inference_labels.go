package metrics

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tuttinode/tutti/core/inference"
)

// Bounds of label sets. A histogram is some fifteen series, a counter one.
const (
	maxFlows    = 500
	maxAccounts = 2000
)

// modelLabels are a model as labels have it. Comparable.
type modelLabels struct{ pipeline, name string }

// flowLabels are a model at an orchestrator.
type flowLabels struct {
	modelLabels
	orchestrator string
}

// accountLabels are a model used under a key.
type accountLabels struct {
	modelLabels
	key string
}

// flow is the bound series of one flowLabels, so that a job looks up labels once.
type flow struct {
	first, between, queue, own, total prometheus.Observer
	score                             prometheus.Gauge
	retries, hedges                   prometheus.Counter
}

// account is the bound series of one accountLabels.
type account struct {
	requested, in, out, cached, units, estimated prometheus.Counter
	price                                        prometheus.Gauge
	// requests still takes status and code.
	requests *prometheus.CounterVec
}

// labelSets binds series to labels, and bounds how many there are.
type labelSets struct {
	series         *inferenceSeries
	codes, senders *values

	mu       sync.RWMutex
	models   map[inference.Model]modelLabels // guarded by mu
	flows    map[flowLabels]*flow            // guarded by mu
	accounts map[accountLabels]*account      // guarded by mu
}

func newLabelSets(s *inferenceSeries) *labelSets {
	return &labelSets{
		series: s, codes: newValues(), senders: newValues(), models: make(map[inference.Model]modelLabels),
		flows: make(map[flowLabels]*flow), accounts: make(map[accountLabels]*account),
	}
}

// code returns a fault's code as a label.
func (l *labelSets) code(code string) string { return l.codes.of(code) }

// model returns a model's labels. A model that is neither known nor served by
// a runner is "other": clients may invent names.
func (l *labelSets) model(m inference.Model, served bool) modelLabels {
	l.mu.RLock()
	known, ok := l.models[m]
	l.mu.RUnlock()
	if ok {
		return known
	}
	labels := modelLabels{cleanLabel(m.Capability.Pipeline()), otherValue}
	if !served {
		return labels
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.models) < maxValues {
		labels.name = cleanLabel(m.ID)
		l.models[m] = labels
	}
	return labels
}

// flow returns the series of a model at an orchestrator.
func (l *labelSets) flow(m modelLabels, orchestrator string) *flow {
	return bind(l, l.flows, flowLabels{m, orchestrator}, flowLabels{modelLabels{otherValue, otherValue}, otherValue},
		maxFlows, l.bindFlow)
}

// account returns the series of a model's use under a key.
func (l *labelSets) account(m modelLabels, key string) *account {
	return bind(l, l.accounts, accountLabels{m, key}, accountLabels{modelLabels{otherValue, otherValue}, otherValue},
		maxAccounts, l.bindAccount)
}

// bind returns the series of labels, creating it if needed; beyond the limit it returns the
// series of rest.
func bind[K comparable, V any](l *labelSets, m map[K]V, labels, rest K, limit int, fresh func(K) V) V {
	l.mu.RLock()
	v, ok := m[labels]
	l.mu.RUnlock()
	if ok {
		return v
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(m) >= limit {
		labels = rest
	}
	if v, ok = m[labels]; !ok {
		v = fresh(labels)
		m[labels] = v
	}
	return v
}

func (l *labelSets) bindFlow(k flowLabels) *flow {
	s, v := l.series, []string{k.pipeline, k.name, cleanLabel(k.orchestrator)}
	return &flow{
		first: s.first.WithLabelValues(v...), between: s.between.WithLabelValues(v...), queue: s.queue.WithLabelValues(v...),
		own: s.own.WithLabelValues(v...), total: s.total.WithLabelValues(v...),
		score: s.score.WithLabelValues(v...), retries: s.retries.WithLabelValues(v...),
		hedges: s.hedges.WithLabelValues(v...),
	}
}

func (l *labelSets) bindAccount(k accountLabels) *account {
	s, key := l.series, cleanLabel(k.key)
	tokens := func(kind string) prometheus.Counter { return s.tokens.WithLabelValues(k.pipeline, k.name, key, kind) }
	return &account{
		requested: s.requested.WithLabelValues(k.pipeline, k.name), price: s.price.WithLabelValues(k.pipeline, k.name),
		in: tokens("in"), out: tokens("out"), cached: tokens("cached"),
		units:     s.units.WithLabelValues(k.pipeline, k.name, key),
		estimated: s.estimated.WithLabelValues(k.pipeline, k.name, key),
		requests:  s.requests.MustCurryWith(prometheus.Labels{"pipeline": k.pipeline, "model_name": k.name, "key": key}),
	}
}
