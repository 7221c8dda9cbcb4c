package orchestrator

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/admission"
)

// stream serves a rendition, its video signature, or an AI job's artifact, from memory.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "Content-Length")
	d, err := s.open(w, r)
	if err != nil {
		s.refuse(w, err)
		return
	}
	if d == nil {
		return
	}
	defer d.End()
	buf := s.pieces.get()
	if !d.Send(w, buf[:]) {
		// An incomplete body must not look complete. HTTP/2 may still reference the buffer.
		panic(http.ErrAbortHandler)
	}
	s.pieces.put(buf)
}

// open begins a download and writes its headers. For a HEAD request there is no download. It
// returns nothing else that references the data.
func (s *Server) open(w http.ResponseWriter, r *http.Request) (*admission.Download, error) {
	kept, err := s.storedFile(strings.TrimPrefix(r.URL.Path, orchestrate.StreamPath))
	if err != nil {
		return nil, err
	}
	h := w.Header()
	h.Set("Cache-Control", "max-age=5")
	h.Set("Content-Type", kept.kind)
	h.Set("Content-Length", strconv.Itoa(len(kept.data)))
	writeBy(w, s.opt.Now(), len(kept.data))
	if r.Method == http.MethodHead {
		return nil, nil
	}
	party := kept.party
	if party == "" {
		party = core.PeerName(access.Host(r.RemoteAddr))
	}
	return kept.downloads.Begin(party, kept.data, http.NewResponseController(w)), nil
}

// storedFile is the file of a path.
type storedFile struct {
	data []byte
	// kind is its media type, party its owner, "" if unknown.
	kind, party string
	downloads   *admission.Downloads
}

func (s *Server) storedFile(path string) (storedFile, error) {
	if p, ok := orchestrate.ParsePath(path); ok {
		res, err := s.orch.Result(p)
		if p.Signature {
			return storedFile{res.Signature, "application/octet-stream", res.Party, s.renditions}, err
		}
		return storedFile{res.Data, p.Format.MIME(), res.Party, s.renditions}, err
	}
	if p, ok := orchestrate.ParseArtifactPath(path); ok {
		data, err := s.orch.Artifact(p)
		return storedFile{data: data, kind: p.MIME(), downloads: s.artifacts}, err
	}
	return storedFile{}, fault.New(fault.ResultNotFound, "read path", "")
}
