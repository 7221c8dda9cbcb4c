// Package collector is a receiver of OTLP over HTTP for tests: it keeps the spans that nodes send. It is no product
// code; the tests of traces here and in test/e2e start one.
package collector

import (
	"compress/gzip"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"

	collectorpb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Span is a span as it came.
type Span struct {
	Trace, ID, Parent string
	Name, Kind        string
	// Failed is the status's text of a failed span.
	Failed string
	// Attributes are the span's and those of its node, as text.
	Attributes map[string]string
	// Node is the attribute service.instance.id.
	Node string
}

// Server is a collector.
type Server struct {
	URL string

	mu    sync.Mutex
	spans []Span
	raw   []byte
	// hang is closed when requests are answered again; nil answers at once.
	hang     chan struct{}
	requests int
	status   int
}

// Start starts a collector that ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{}
	server := httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = server.URL
	t.Cleanup(func() { s.Hang(false); server.Close() })
	return s
}

// Hang makes the collector read requests and not answer them, or answer all again.
func (s *Server) Hang(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hang != nil {
		close(s.hang)
		s.hang = nil
	}
	if on {
		s.hang = make(chan struct{})
	}
}

// Answer sets the status of answers; 0 is 200.
func (s *Server) Answer(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = status
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests++
	hang, status := s.hang, s.status
	s.mu.Unlock()
	var from io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		from = z
	}
	body, err := io.ReadAll(from)
	if err != nil || r.URL.Path != "/v1/traces" {
		http.Error(w, r.URL.Path, http.StatusBadRequest)
		return
	}
	if hang != nil {
		select {
		case <-hang:
		case <-r.Context().Done():
		}
		return
	}
	if status != 0 {
		http.Error(w, "refused", status)
		return
	}
	var in collectorpb.ExportTraceServiceRequest
	if err := proto.Unmarshal(body, &in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.keep(&in, body)
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func (s *Server) keep(in *collectorpb.ExportTraceServiceRequest, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.raw = append(s.raw, body...)
	for _, resource := range in.GetResourceSpans() {
		about := texts(resource.GetResource().GetAttributes())
		for _, scope := range resource.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				s.spans = append(s.spans, read(span, about))
			}
		}
	}
}

func read(p *tracepb.Span, about map[string]string) Span {
	out := Span{Trace: hex.EncodeToString(p.GetTraceId()), ID: hex.EncodeToString(p.GetSpanId()),
		Parent: hex.EncodeToString(p.GetParentSpanId()), Name: p.GetName(), Kind: p.GetKind().String(),
		Attributes: texts(p.GetAttributes()), Node: about["service.instance.id"]}
	if p.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR {
		out.Failed = p.GetStatus().GetMessage()
	}
	for k, v := range about {
		out.Attributes[k] = v
	}
	return out
}

func texts(list []*commonpb.KeyValue) map[string]string {
	out := make(map[string]string)
	for _, kv := range list {
		switch v := kv.GetValue().GetValue().(type) {
		case *commonpb.AnyValue_StringValue:
			out[kv.GetKey()] = v.StringValue
		case *commonpb.AnyValue_IntValue:
			out[kv.GetKey()] = strconv.FormatInt(v.IntValue, 10)
		case *commonpb.AnyValue_DoubleValue:
			out[kv.GetKey()] = strconv.FormatFloat(v.DoubleValue, 'g', -1, 64)
		}
	}
	return out
}

// Spans are those that came.
func (s *Server) Spans() []Span {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Span(nil), s.spans...)
}

// Bytes are the bodies of all requests that were taken.
func (s *Server) Bytes() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]byte(nil), s.raw...)
}

// Requests is how many requests came.
func (s *Server) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}
