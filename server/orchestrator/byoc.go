package orchestrator

import (
	"io"
	"net/http"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/byoc"
)

// byocRoutes adds the paths of external capabilities.
func (s *Server) byocRoutes(mux *http.ServeMux) {
	if s.opt.Capabilities != nil {
		s.opt.Capabilities.Routes(mux, byocBodies{s})
	}
}

// byocBodies receive bodies as those of AI jobs are received.
type byocBodies struct{ s *Server }

// Request reads the body of a request.
func (b byocBodies) Request(w http.ResponseWriter, r *http.Request, large bool, party, source string) (byoc.Body,
	error) {
	most, within := b.s.opt.TextBytes, textTime
	if large {
		most, within = b.s.opt.FileBytes, fileTime
	}
	pace := newReadPace(w, b.s.opt.Now(), within)
	u, err := receiveBody(r.Body, r.ContentLength, most, b.s.uploads, b.s.uploads.jobClaim(party, source), pace.progress)
	if err != nil {
		if fault.CodeOf(err) == fault.JobTooLarge {
			w.Header().Set("Connection", "close")
		}
		return nil, err
	}
	pace.done()
	return byocBody{u}, nil
}

// Answer reads the answer of a capability.
func (b byocBodies) Answer(answer io.Reader, length int64, request byoc.Body) (byoc.Body, error) {
	of := request.(byocBody)
	u, err := receiveBody(answer, length, maxAnswer, b.s.uploads, of.resultClaim(), func(int) {})
	if err != nil {
		return nil, err
	}
	return byocBody{u}, nil
}

// byocBody is one that was received.
type byocBody struct{ *upload }

func (b byocBody) Bytes() []byte { return b.data }
func (b byocBody) Paid()         { b.paid() }
func (b byocBody) Release()      { b.release() }
