package byoc

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"strings"

	"github.com/tuttinode/tutti/core/byoc"
	"github.com/tuttinode/tutti/server/admission"
)

// call sends a request to a capability's server. The error is a refusal whose text has no address; a server that
// cannot be reached loses its capability, unless this node has no descriptor to reach it with.
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
	if token := c.Token.Reveal(); token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := s.upstream.RoundTrip(r)
	if err == nil && res.StatusCode >= http.StatusOK {
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
		if admission.Scarce(err) { // it says nothing about the server
			return nil, errNoCapacity
		}
		s.lost(c, errUnreachable)
		return nil, errUnreached
	}
	return nil, errBroken
}

// Why capabilities are removed.
var (
	errUnreachable  = errors.New("its server cannot be reached")
	errUnauthorized = errors.New("its server refused the token that it registered with (status 401)")
)

// jsonHeader are the headers of a body of JSON.
func jsonHeader() http.Header { return http.Header{"Content-Type": {typeJSON}} }
