package admin

import (
	"bytes"
	"io"
	"net/http"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
)

// csvReport is an answer in CSV.
type csvReport struct {
	// name is the file's as a browser stores it.
	name string
	report
}

// report writes itself.
type report interface{ WriteCSV(w io.Writer) error }

// writeCSV answers in CSV.
func (s *Server) writeCSV(w http.ResponseWriter, r *http.Request, out csvReport) {
	var text bytes.Buffer
	if err := out.WriteCSV(&text); err != nil {
		s.refuse(w, r, fault.Wrap(fault.Unexpected, "write CSV", err))
		return
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="`+out.name+`.csv"`)
	_, _ = w.Write(text.Bytes()) // the client has left
}

// formatParameter asks for JSON or CSV.
func formatParameter() adminapi.QueryParameter {
	return adminapi.QueryParameter{Name: adminapi.QueryFormat, About: "json (as if absent) or csv",
		Values: []string{adminapi.FormatJSON, adminapi.FormatCSV}}
}
