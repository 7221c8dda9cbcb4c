package orchestrator

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
)

// stream serves a rendition, or its video signature, straight from memory.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "Content-Length")
	path, ok := orchestrate.ParsePath(strings.TrimPrefix(r.URL.Path, orchestrate.StreamPath))
	if !ok {
		s.refuse(w, fault.New(fault.ResultNotFound, "read path", ""))
		return
	}
	res, err := s.orch.Result(path)
	if err != nil {
		s.refuse(w, err)
		return
	}
	data, kind := res.Data, path.Format.MIME()
	if path.Signature {
		data, kind = res.Signature, "application/octet-stream"
	}
	h.Set("Cache-Control", "max-age=5")
	h.Set("Content-Type", kind)
	h.Set("Content-Length", strconv.Itoa(len(data)))
	writeBy(w, s.opt.Now(), len(data))
	if r.Method != http.MethodHead {
		_, _ = w.Write(data) // nobody to tell
	}
}
