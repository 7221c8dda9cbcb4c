package live

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

const (
	// mediaServerPort is where a media server has its API.
	mediaServerPort = "9997"
	// apiWithin bounds a call of it.
	apiWithin = 3 * time.Second
	// apiTries is how often its API is queried for a publisher before that one counts as gone.
	apiTries = 3
)

// mediaServer is the API of the media server that has a publisher.
type mediaServer struct {
	s *Server
	// base ends with the kind of the source; id names it.
	base, id string
}

// mediaServer is the API at a caller's address. The address is not the caller's choice, and the password goes to
// callers alone that the operator knows.
func (s *Server) mediaServer(caller netip.Addr, kind, id string) *mediaServer {
	source := "rtmpconns"
	if kind == kindWHIP {
		source = "webrtcsessions"
	}
	return &mediaServer{s: s, id: id,
		base: "http://" + net.JoinHostPort(caller.String(), mediaServerPort) + "/v3/" + source}
}

// call sends a request and returns the answer's status.
func (m *mediaServer) call(ctx context.Context, method, verb string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, apiWithin)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, m.base+"/"+verb+"/"+url.PathEscape(m.id), http.NoBody)
	if err != nil {
		return 0, fmt.Errorf("call the media server: %w", withoutAddress(err))
	}
	r.SetBasicAuth("admin", m.s.o.MediaServerPassword)
	resp, err := m.s.media.Do(r)
	if err != nil {
		return 0, fmt.Errorf("call the media server: %w", withoutAddress(err))
	}
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // so that the connection can be used again
	return resp.StatusCode, resp.Body.Close()
}

// present reports whether the media server has the publisher still.
func (m *mediaServer) present(ctx context.Context) bool {
	for try := range apiTries {
		status, err := m.call(ctx, http.MethodGet, "get")
		if err == nil && status == http.StatusOK {
			return true
		}
		m.s.o.Log.Debug("the media server does not confirm a publisher", "try", try+1, "status", status, "err", err)
		if status == http.StatusNotFound || ctx.Err() != nil {
			return false
		}
	}
	return false
}

// kick ends the publisher's connection to its media server, in the background.
func (s *Server) kick(m *mediaServer) {
	s.background(func() {
		if status, err := m.call(s.ctx, http.MethodPost, "kick"); err != nil || status >= http.StatusBadRequest {
			s.o.Log.Info("the media server does not end a publisher", "status", status, "err", err)
		}
	})
}
