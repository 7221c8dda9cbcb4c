package admin

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
)

// pullStream is the answer to a pull: lines that are written while it goes on.
type pullStream struct {
	name adminapi.ModelName
	dry  bool
}

func pullEndpoint() endpoint {
	route := post(adminapi.PathModelPull, "Fetch what a model of this machine needs before its first job",
		adminapi.ModelName{}, adminapi.ModelPullLine{})
	route.Lines = true
	route.Detail = "Each line of the answer is progress, the last one the result or an error. " +
		"The pull ends when the connection does. A failure before any progress is an ordinary error."
	route.Query = []adminapi.QueryParameter{
		boolParameter(adminapi.QueryDryRun, "true shows what is there and fetches nothing")}
	return endpoint{Route: route, serve: pullModelV1}
}

func pullModelV1(s *Server, r *http.Request) (any, error) {
	in, err := body[adminapi.ModelName](r)
	if err != nil {
		return nil, err
	}
	if s.opts.Work.Models == nil {
		return nil, absent("AI models")
	}
	return pullStream{in, flag(r, adminapi.QueryDryRun, "true")}, nil
}

// writePull pulls, and passes the progress on. Of progress that comes faster than the
// client reads only the latest is sent.
func (s *Server) writePull(w http.ResponseWriter, r *http.Request, pull pullStream) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	out, latest, written := newLineWriter(w), make(chan adminapi.ModelPullProgress, 1), make(chan struct{})
	go func() {
		defer close(written)
		for p := range latest {
			if out.write(adminapi.ModelPullLine{Progress: &p}) != nil {
				cancel() // the client is gone
			}
		}
	}()
	result, err := s.pullReporting(ctx, pull, latest)
	<-written
	switch {
	case err == nil:
		_ = out.write(adminapi.ModelPullLine{Result: &result}) // the client's absence changes nothing
	case !out.begun:
		s.refuse(w, r, err)
	default:
		changeOf(r.Context()).failed(err)
		problem := errorOf(err)
		_ = out.write(adminapi.ModelPullLine{Error: &problem}) // as above
	}
}

// pullReporting pulls, puts the latest progress into latest and closes it.
func (s *Server) pullReporting(
	ctx context.Context, pull pullStream, latest chan adminapi.ModelPullProgress,
) (adminapi.ModelPull, error) {
	defer close(latest)
	return s.opts.Work.Models.Pull(ctx, pull.name, pull.dry, func(p adminapi.ModelPullProgress) {
		select {
		case <-latest:
		default:
		}
		latest <- p // the buffer is free: reports come one at a time, and nothing else fills it
	})
}

// lineWriter writes an answer line by line, each with its own time.
type lineWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	begun   bool
}

func newLineWriter(w http.ResponseWriter) *lineWriter {
	l := &lineWriter{w: w, control: http.NewResponseController(w)}
	// The request has been read; what comes after it would end the answer.
	_ = l.control.SetReadDeadline(time.Time{}) // not every writer can, as below
	return l
}

func (l *lineWriter) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fault.Wrap(fault.Unexpected, "write an answer", err)
	}
	if !l.begun {
		l.begun = true
		l.w.Header().Set("Content-Type", "application/x-ndjson")
		l.w.Header().Set("X-Accel-Buffering", "no")
	}
	_ = l.control.SetWriteDeadline(time.Now().Add(answerTime))
	if _, err := l.w.Write(append(line, '\n')); err != nil {
		return err
	}
	return l.control.Flush()
}
