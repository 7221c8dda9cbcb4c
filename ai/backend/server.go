package backend

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// Server is the Backend for one address.
type Server struct {
	options      Options
	base         string
	roundTripper http.RoundTripper
	// own is the transport that Close closes, nil if it was passed in.
	own *transport

	mu sync.Mutex
	// known are the details of the last good probe, nil before it and after a failed one.
	known *identity
}

var _ Backend = (*Server)(nil)

// identity are the cached details of a healthy runner.
type identity struct {
	kind       Kind
	served     string
	operations []inference.Operation
	info       Info
	// probes counts how often info was answered from memory.
	probes int
	// rechecked: it was detected again since the last probe because a job got a 404.
	rechecked bool
}

// New makes the client of a runner. It sends no request.
func New(o Options) (*Server, error) {
	base, err := parseURL(o.URL)
	if err != nil {
		return nil, err
	}
	s := &Server{options: o.withDefaults(), base: base, roundTripper: o.Transport}
	if o.Transport == nil {
		s.own = newTransport()
		s.roundTripper = s.own
	}
	return s, nil
}

// parseURL checks a runner's address. It must not contain secrets, as it is displayed.
func parseURL(text string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	switch {
	case err != nil:
		// The parser's error repeats the text, which may hold a password.
		return "", fault.New(fault.RunnerUnreachable, "read runner's url", "the url cannot be read")
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fault.New(fault.RunnerUnreachable, "read runner's url", "the url must begin with http:// or https://")
	case u.Hostname() == "":
		return "", fault.New(fault.RunnerUnreachable, "read runner's url", "the url names no host")
	case u.User != nil, u.RawQuery != "", u.Fragment != "":
		return "", fault.New(fault.RunnerUnreachable, "read runner's url",
			"the url may hold host, port and path only; a secret belongs into token")
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	path = strings.TrimSuffix(path, "/v1")
	return fmt.Sprintf("%s://%s%s", u.Scheme, u.Host, strings.TrimRight(path, "/")), nil
}

// Close closes idle connections.
func (s *Server) Close() {
	if s.own != nil {
		s.own.close()
	}
	if s.options.CloseTransport != nil {
		s.options.CloseTransport()
	}
}

// setHeaders sets the headers of all requests.
func (s *Server) setHeaders(r *http.Request) {
	r.Header.Set("User-Agent", "tutti")
	// Answers pass as they are.
	r.Header.Set("Accept-Encoding", "identity")
	if !s.options.Token.IsZero() {
		r.Header.Set("Authorization", "Bearer "+s.options.Token.Reveal())
	}
}

func (s *Server) setCached(known *identity) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = known
}

func (s *Server) cached() *identity {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known
}

// identity returns the cached details, probing the runner if there are none.
func (s *Server) identity(ctx context.Context) (*identity, error) {
	if known := s.cached(); known != nil {
		return known, nil
	}
	if _, err := s.Probe(ctx); err != nil {
		return nil, err
	}
	if known := s.cached(); known != nil {
		return known, nil
	}
	return nil, s.fault(fault.RunnerBusy, opRun, "is not ready", nil)
}
