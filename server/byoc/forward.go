package byoc

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/byoc"
	"github.com/tuttinode/tutti/server/admission"
)

// call sends a request to a capability's server. The error is a refusal whose text has no address; a server that
// cannot be reached loses its capability, unless this machine is the reason.
func (s *Server) call(ctx context.Context, c *byoc.Registration, path string, header http.Header, body []byte) (
	*http.Response, error) {
	to := *c.URL
	if path != "" {
		to.Path = strings.TrimSuffix(to.Path, "/") + "/" + path
	}
	to.RawPath = ""
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(body))
	if err != nil {
		return nil, errBroken
	}
	r.Header = header
	setToken(r.Header, c)
	res, err := s.upstream.RoundTrip(r)
	if err == nil && res.StatusCode >= http.StatusOK {
		if res.StatusCode < http.StatusBadRequest && s.registry.Serves(c) {
			s.checkServing(c)
		}
		return res, nil
	}
	if err == nil { // it changes the protocol, or what it answers is no status, on which net/http panics
		_ = res.Body.Close()
		return nil, errBroken
	}
	if ctx.Err() != nil {
		return nil, errLate
	}
	s.o.Log.Debug("an external capability failed", "model", c.Name, "err", err)
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		if ownProblem(err) {
			return nil, errNoCapacity
		}
		s.lost(c, errUnreachable)
		return nil, errUnreached
	}
	return nil, errBroken
}

// ownProblem reports whether a dial failed for a reason of this machine, which says nothing about the server: no free
// descriptor, buffer or port, or a name server that does not answer.
func ownProblem(err error) bool {
	name, ok := errors.AsType[*net.DNSError](err)
	return admission.Scarce(err) || ok && !name.IsNotFound
}

// checkTime bounds how long a server may take to say whether it refuses its token.
const checkTime = 5 * time.Second

// tokenRefused reports whether a server that answered a client's request with 401 refuses the token of its
// registration. The status alone does not say that: the path and the body were the client's. So a request that has
// nothing of the client must be refused as well, of a server that does not refuse such requests while it serves.
func (s *Server) tokenRefused(c *byoc.Registration) bool {
	if !s.registry.MayRefuse(c) {
		return false
	}
	status, err := s.check(c)
	return err == nil && status == http.StatusUnauthorized
}

// checkServing finds out whether a server that did a client's work refuses requests without work.
func (s *Server) checkServing(c *byoc.Registration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.running.Go(func() {
		if status, err := s.check(c); err == nil && status != http.StatusUnauthorized {
			s.registry.SetOpen(c)
		}
	})
}

// check sends a request without work to a capability's server, and returns the answer's status.
func (s *Server) check(c *byoc.Registration) (int, error) {
	ctx, cancel := context.WithTimeout(s.life, checkTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL.String(), nil)
	if err != nil {
		return 0, err
	}
	setToken(r.Header, c)
	res, err := s.upstream.RoundTrip(r)
	if err != nil {
		return 0, err
	}
	return res.StatusCode, res.Body.Close()
}

// setToken adds the token of a registration.
func setToken(h http.Header, c *byoc.Registration) {
	if token := c.Token.Reveal(); token != "" {
		h.Set("Authorization", "Bearer "+token)
	}
}

// Why capabilities are removed.
var (
	errUnreachable  = errors.New("its server cannot be reached")
	errUnauthorized = errors.New("its server refused the token that it registered with (status 401)")
)

// jsonHeader are the headers of a body of JSON.
func jsonHeader() http.Header { return http.Header{"Content-Type": {typeJSON}} }
