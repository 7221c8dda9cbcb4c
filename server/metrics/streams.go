package metrics

import (
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// maxStreams bounds the streams with values of their own: gateways choose the names, and each
// costs memory here and at Prometheus.
const maxStreams = 1000

// manifestLabel is the label of single streams.
const manifestLabel = "manifest_id"

// streams manages the label manifest_id. When more than maxStreams names are in
// use, the series of the one first seen go away.
type streams struct {
	perStream bool
	// clients are the addresses behind the streams, nil where the label client_ip is off.
	clients *clients
	// vecs are the series with the label. Fixed after construction.
	vecs []interface {
		DeletePartialMatch(prometheus.Labels) int
	}

	// rates is the gauge of success by stream, nil where there is none. Fixed as vecs is.
	rates *prometheus.GaugeVec

	mu    sync.Mutex
	seen  map[string]*success // guarded by mu
	order []string            // guarded by mu, first seen first
}

func newStreams(perStream, clientIP bool) *streams {
	s := &streams{perStream: perStream || clientIP, seen: make(map[string]*success)}
	if clientIP {
		s.clients = newClients()
	}
	return s
}

func (s *streams) own(v interface {
	DeletePartialMatch(prometheus.Labels) int
}) {
	if s.perStream {
		s.vecs = append(s.vecs, v)
	}
}

func (s *streams) labels(labels []string) []string {
	if !s.perStream {
		return labels
	}
	return append(slices.Clone(labels), manifestLabel)
}

func (s *streams) values(manifest string, values []string, client bool) []string {
	if !s.perStream {
		return values
	}
	manifest = cleanLabel(manifest)
	s.touch(manifest)
	if client && s.clients != nil {
		return append(slices.Clone(values), manifest, s.clients.of(manifest))
	}
	return append(slices.Clone(values), manifest)
}

// watchSuccess shows the success of single streams in a gauge.
func (s *streams) watchSuccess(rates *prometheus.GaugeVec) {
	if s.perStream {
		s.rates = rates
	}
}

// result notes whether a stream's segment was transcoded.
func (s *streams) result(manifest string, ok bool) {
	if s.rates == nil {
		return
	}
	manifest = cleanLabel(manifest)
	one := s.touch(manifest)
	one.add(ok)
	s.rates.WithLabelValues(manifest).Set(one.rate())
}

// touch makes a stream one of those with values of their own, and returns its success.
func (s *streams) touch(manifest string) *success {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.seen[manifest]; one != nil {
		return one
	}
	one := new(success)
	s.seen[manifest] = one
	s.order = append(s.order, manifest)
	if len(s.order) > maxStreams {
		oldest := s.order[0]
		s.order = slices.Delete(s.order, 0, 1)
		s.drop(oldest)
	}
	return one
}

// ended deletes the series of a stream.
func (s *streams) ended(manifest string) {
	if !s.perStream {
		return
	}
	manifest = cleanLabel(manifest)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen[manifest] != nil {
		s.order = slices.DeleteFunc(s.order, func(m string) bool { return m == manifest })
		s.drop(manifest)
	}
}

// drop deletes a stream's series. The caller holds mu.
func (s *streams) drop(manifest string) {
	delete(s.seen, manifest)
	if s.clients != nil {
		s.clients.drop(manifest)
	}
	for _, v := range s.vecs {
		v.DeletePartialMatch(prometheus.Labels{manifestLabel: manifest})
	}
}
