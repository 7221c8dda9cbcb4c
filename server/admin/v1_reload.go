package admin

import (
	"context"
	"net/http"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/server/admin/openapi"
)

// Reloader reads the node's configuration anew. It takes over all that may change or
// nothing; the error is ReloadFailed and says why. With dry nothing is changed.
type Reloader interface {
	Reload(ctx context.Context, dry bool) (adminapi.Reloaded, error)
}

func reloadEndpoints() []endpoint {
	route := post(adminapi.PathReload, "Read the configuration anew and take over what may change while the node runs",
		nil, adminapi.Reloaded{})
	route.Query = []openapi.Parameter{boolParameter(adminapi.QueryDryRun, "true shows the difference and changes nothing")}
	return []endpoint{{Route: route, serve: reloadV1}}
}

func reloadV1(s *Server, r *http.Request) (any, error) {
	if s.opts.Reloader == nil {
		return nil, absent("configuration that could be read anew")
	}
	return s.opts.Reloader.Reload(r.Context(), flag(r, adminapi.QueryDryRun, "true"))
}

// SessionsChanged is told of a limit that was set otherwise than through the API, so
// that the settings show it.
func (s *Server) SessionsChanged(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions = sessionsOf(n)
}
