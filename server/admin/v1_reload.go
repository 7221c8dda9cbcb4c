package admin

import (
	"net/http"

	"github.com/tuttinode/tutti/core/adminapi"
)

func reloadEndpoints() []endpoint {
	route := post(adminapi.PathReload, "Read the configuration again and take over what may change while the node runs",
		nil, adminapi.Reloaded{})
	route.Query = []adminapi.QueryParameter{
		boolParameter(adminapi.QueryDryRun, "true shows the difference and changes nothing")}
	return []endpoint{{Route: route, serve: reloadV1}}
}

func reloadV1(s *Server, r *http.Request) (any, error) {
	if s.opts.Node.Reload == nil {
		return nil, absent("configuration that can be read again")
	}
	return s.opts.Node.Reload(r.Context(), flag(r, adminapi.QueryDryRun, "true"))
}

// SessionsChanged gets a limit that was set otherwise than through the API, so
// that the settings show it.
func (s *Server) SessionsChanged(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions = sessionsOf(n)
}
