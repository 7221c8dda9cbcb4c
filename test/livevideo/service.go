package livevideo

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// Service is one of an operator: it remembers the JSON that it gets, and answers as it is told.
type Service struct {
	URL string

	mu     sync.Mutex
	got    []map[string]any
	header []http.Header
	answer http.HandlerFunc
}

// NewService starts one that answers with {}.
func NewService(t testing.TB) *Service {
	t.Helper()
	s := &Service{}
	s.Answer(http.StatusOK, "{}")
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in map[string]any
		_ = json.NewDecoder(r.Body).Decode(&in)
		s.mu.Lock()
		s.got, s.header = append(s.got, in), append(s.header, r.Header.Clone())
		answer := s.answer
		s.mu.Unlock()
		answer(w, r)
	}))
	s.URL = srv.URL
	t.Cleanup(srv.Close)
	return s
}

// Answer sets its answer.
func (s *Service) Answer(status int, text string) {
	s.Handle(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text))
	})
}

// Handle sets what answers.
func (s *Service) Handle(f http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = f
}

// Got are the requests that came, and their headers.
func (s *Service) Got() ([]map[string]any, []http.Header) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.got), slices.Clone(s.header)
}
