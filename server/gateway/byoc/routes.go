package byoc

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// maxUpdate bounds an update that is kept for the next orchestrator.
const maxUpdate = 1 << 20

// serveWHIP takes a stream's publisher.
func (s *Server) serveWHIP(w http.ResponseWriter, r *http.Request) {
	if !s.o.Live.CORS(w, r) {
		return
	}
	st, err := s.findInput(w, r, "")
	if err != nil {
		refuse(w, err)
		return
	}
	st.handle.ServeWHIP(w, r)
}

// serveRTMP takes the call of a media server that has a stream's publisher. One on this machine is the operator's, and
// has the publishers of all clients.
func (s *Server) serveRTMP(w http.ResponseWriter, r *http.Request) {
	st, err := s.findInput(w, r, ownMachine)
	if err != nil {
		refuse(w, err)
		return
	}
	st.handle.ServeStart(w, r)
}

// findInput is findFor for a stream that takes video.
func (s *Server) findInput(w http.ResponseWriter, r *http.Request, other string) (*stream, error) {
	st, err := s.findFor(w, r, http.MethodPost, other)
	if err == nil && !st.job.options.Input {
		err = fault.New(fault.StreamNotFound, "publish", "the stream takes no video: enable_video_ingress was not set")
	}
	return st, err
}

// serveUpdate passes parameters to a stream's worker, and its answer back.
func (s *Server) serveUpdate(w http.ResponseWriter, r *http.Request) {
	err := s.pass(w, r, "update", func(st *stream, body []byte) error {
		if text := r.Header.Get(jobHeader); text != "" {
			if _, err := parseJob(text); err != nil {
				return err
			}
		}
		st.mu.Lock()
		defer st.mu.Unlock()
		st.update, st.updateType = nil, r.Header.Get("Content-Type")
		if len(body) <= maxUpdate {
			st.update = bytes.Clone(body)
		}
		return nil
	})
	if err != nil {
		refuse(w, err)
	}
}

// serveStop ends a stream, and passes its worker's answer back.
func (s *Server) serveStop(w http.ResponseWriter, r *http.Request) {
	stop := false
	var ended *stream
	err := s.pass(w, r, "stop", func(st *stream, _ []byte) error {
		stop, ended = true, st
		st.mu.Lock()
		st.stopping = true
		st.mu.Unlock()
		return nil
	})
	if stop {
		ended.handle.Stop(nil)
	}
	switch {
	case stop && errors.Is(err, fault.OrchestratorUnreachable), stop && errors.Is(err, fault.JobBroke),
		stop && errors.Is(err, fault.JobLate):
		w.WriteHeader(http.StatusOK) // it has ended here
	case err != nil:
		refuse(w, err)
	}
}

// pass sends a client's body to a stream's orchestrator, and the answer to the client. first is called before; its
// error, and that of pass, is a fault, and nothing is answered then.
func (s *Server) pass(w http.ResponseWriter, r *http.Request, what string, first func(*stream, []byte) error) error {
	st, err := s.find(w, r, http.MethodPost)
	if err != nil {
		return err
	}
	if err := s.enter(st.client); err != nil {
		return err
	}
	defer s.leave(st.client)
	body, release, err := s.readBody(w, r, st.client)
	if err != nil {
		return err
	}
	defer release()
	if err := first(st, body); err != nil {
		return err
	}
	at, err := st.current()
	if err != nil {
		return err
	}
	ctx, stop := s.joined(r.Context())
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, s.o.Limits.Start)
	defer cancel()
	if what == "stop" {
		at.stopping(true) // the work may end before the answer is here
	}
	resp, err := st.send(ctx, at.t.URI, what, bytes.NewReader(body), r.Header.Get("Content-Type"), nil)
	if err != nil {
		if what == "stop" {
			at.stopping(false)
		}
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return fault.Wrap(fault.JobBroke, "reach a stream", err)
	case len(data) > maxAnswer:
		return fault.New(fault.AnswerUnreadable, "reach a stream", "the worker's answer is too large")
	}
	h := w.Header()
	if kind := resp.Header.Get("Content-Type"); kind != "" {
		h.Set("Content-Type", kind)
	}
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox")
	w.WriteHeader(resp.StatusCode)
	_, _ = w.Write(data) // the client may have left
	return nil
}

// serveStatus says how a stream is: the worker's last status, and where it runs.
func (s *Server) serveStatus(w http.ResponseWriter, r *http.Request) {
	st, err := s.find(w, r, http.MethodGet)
	if err != nil {
		refuse(w, err)
		return
	}
	out := st.handle.Status()
	if out == nil {
		out = make(map[string]any)
	}
	out["stream_id"], out["orchestrator"] = st.id, ""
	if at, err := st.current(); err == nil {
		out["orchestrator"] = at.t.URI
	}
	if why := st.handle.Failure(); why != nil {
		out["error"] = why.Error()
	}
	writeJSON(w, out)
}

// serveData sends a stream's data as events until it ends.
func (s *Server) serveData(w http.ResponseWriter, r *http.Request) {
	st, err := s.find(w, r, http.MethodGet)
	if err != nil {
		refuse(w, err)
		return
	}
	in, ok := st.data.join()
	if !st.job.options.Data || !ok {
		if ok {
			st.data.leave(in)
		}
		refuse(w, fault.New(fault.CapabilityNoData, "read data", ""))
		return
	}
	defer st.data.leave(in)
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	control := http.NewResponseController(w)
	w.WriteHeader(http.StatusOK)
	_ = control.Flush() // the client sees that it reads
	for {
		select {
		case <-in.more:
		case <-r.Context().Done():
			return
		case <-s.ctx.Done():
			return
		}
		events, over := in.take()
		if len(events) > 0 {
			_ = control.SetWriteDeadline(time.Now().Add(s.o.Limits.Stall)) // a test's transport has none
			if _, err := w.Write(events); err != nil || control.Flush() != nil {
				return
			}
		}
		if over {
			_ = control.SetWriteDeadline(time.Time{})
			return
		}
	}
}
