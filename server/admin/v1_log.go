package admin

import (
	"net/http"
	"strconv"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
)

// maxLogLines is how many lines may be asked for; fewer are kept.
const maxLogLines = 10_000

func logEndpoints() []endpoint {
	route := get(adminapi.PathLog, "The last lines of the log", adminapi.Log{})
	route.Query = []adminapi.QueryParameter{{Name: adminapi.QueryLines,
		About: "how many, " + strconv.Itoa(adminapi.DefaultLogLines) + " without it"}}
	return []endpoint{{Route: route, serve: logV1}}
}

func logV1(s *Server, r *http.Request) (any, error) {
	if s.opts.Node.LogTail == nil {
		return nil, absent("log that is kept")
	}
	n := adminapi.DefaultLogLines
	if text := r.URL.Query().Get(adminapi.QueryLines); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil || n < 1 || n > maxLogLines {
			return nil, fault.New(fault.AdminBadParam, "read log",
				adminapi.QueryLines+" must be 1 to "+strconv.Itoa(maxLogLines))
		}
	}
	return adminapi.Log{Lines: orEmpty(s.opts.Node.LogTail(n))}, nil
}
