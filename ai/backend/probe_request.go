package backend

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

const (
	opProbe = "probe runner"
	// maxProbe bounds an answer to a probe; a long list of models has 100 KiB.
	maxProbe = 1 << 20
)

// probeAnswer is a runner's answer to one request of a probe.
type probeAnswer struct {
	status int
	body   []byte
}

// ok reports success.
func (a *probeAnswer) ok() bool { return a.status == http.StatusOK }

// decode decodes the body; false for invalid JSON.
func (a *probeAnswer) decode(v any) bool { return json.Unmarshal(a.body, v) == nil }

// message returns the body's error text.
func (a *probeAnswer) message() string { return inference.Message(a.body) }

// ask sends a request of a probe, a POST if there is a body. Any status is an answer; the
// error is a fault.
func (s *Server) ask(ctx context.Context, path string, body []byte) (*probeAnswer, error) {
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}
	r, err := http.NewRequest(method, s.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, fault.Wrap(fault.RunnerUnreachable, opProbe, err)
	}
	if body != nil {
		r.Header.Set("Content-Type", jsonType)
	}
	s.setHeaders(r)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(s.options.ProbeTimeout, func() { cancel(errStalled) })
	defer timer.Stop()
	resp, err := s.roundTripper.RoundTrip(r.WithContext(ctx))
	if err != nil {
		return nil, s.noAnswer(ctx, opProbe, err)
	}
	if err := s.decode(opProbe, resp); err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxProbe+1))
	switch {
	case err != nil:
		return nil, s.noAnswer(ctx, opProbe, err)
	case len(text) > maxProbe:
		return nil, s.fault(fault.RunnerGarbled, opProbe, "answers "+path+" with more than 1 MiB", nil)
	}
	return &probeAnswer{resp.StatusCode, text}, nil
}

// refused is the fault of an error status for a path that every runner of the kind has.
func (s *Server) refused(path string, a *probeAnswer) error {
	code := fault.RunnerGarbled
	switch {
	case a.status == http.StatusUnauthorized, a.status == http.StatusForbidden:
		code = fault.RunnerAuth
	case a.status == http.StatusTooManyRequests, a.status == http.StatusServiceUnavailable:
		code = fault.RunnerBusy
	case a.status >= 500:
		code = fault.RunnerFailed
	}
	return fault.New(code, opProbe, inference.RunnerText(s.name(), a.status, a.body)+" ("+path+")")
}
