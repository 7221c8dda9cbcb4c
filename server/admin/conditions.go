package admin

import (
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// Condition is one element of the answer of /api/conditions, a JSON array.
// Fields may be added; none changes its meaning.
type Condition struct {
	Code   string    `json:"code"`
	Class  string    `json:"class"`
	About  string    `json:"about,omitempty"`
	Detail string    `json:"detail,omitempty"`
	Since  time.Time `json:"since"`
	Cause  string    `json:"cause"`
	Remedy string    `json:"remedy"`
	// HiddenBy is the code of the root cause that explains this one.
	HiddenBy string `json:"hidden_by,omitempty"`
}

func (s *Server) conditions(w http.ResponseWriter, _ *http.Request) {
	out := []Condition{}
	if s.opts.Node.Conditions != nil {
		for _, c := range s.opts.Node.Conditions() {
			row, _ := fault.Lookup(c.Code)
			out = append(out, Condition{
				Code: string(c.Code), Class: row.Class.String(), About: c.About, Detail: c.Detail,
				Since: c.Since.UTC(), Cause: row.Cause, Remedy: row.Remedy, HiddenBy: string(c.HiddenBy),
			})
		}
	}
	writeJSON(w, out)
}
