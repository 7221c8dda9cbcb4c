package orchestrator

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
)

// stream serves a rendition, its video signature, or what an AI job made,
// straight from memory.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "Content-Length")
	data, kind, err := s.kept(strings.TrimPrefix(r.URL.Path, orchestrate.StreamPath))
	if err != nil {
		s.refuse(w, err)
		return
	}
	h.Set("Cache-Control", "max-age=5")
	h.Set("Content-Type", kind)
	h.Set("Content-Length", strconv.Itoa(len(data)))
	writeBy(w, s.opt.Now(), len(data))
	if r.Method != http.MethodHead {
		_, _ = w.Write(data) // nobody to tell
	}
}

// kept finds what a path names, and its type.
func (s *Server) kept(path string) (data []byte, kind string, err error) {
	if p, ok := orchestrate.ParsePath(path); ok {
		res, err := s.orch.Result(p)
		if p.Signature {
			return res.Signature, "application/octet-stream", err
		}
		return res.Data, p.Format.MIME(), err
	}
	if p, ok := orchestrate.ParseArtifactPath(path); ok {
		data, err := s.orch.Artifact(p)
		return data, p.MIME(), err
	}
	return nil, "", fault.New(fault.ResultNotFound, "read path", "")
}
