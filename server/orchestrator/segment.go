package orchestrator

import (
	"net/http"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/tracing"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/origin"
	"github.com/tuttinode/tutti/server/rpc"
)

// segment receives a segment, transcodes it and answers with the URLs of the renditions.
// Errors of the request become the status; once the upload is accepted the status is 200,
// which is sent before the work starts, because gateways wait less long for it than for the
// rest.
func (s *Server) segment(w http.ResponseWriter, r *http.Request) {
	begun := s.opt.Now()
	pace := newReadPace(w, begun, requestTimeout)
	req, err := readRequest(r.Header)
	if err != nil {
		s.refuse(w, err)
		return
	}
	req.From = origin.Host(r.RemoteAddr)
	seg, err := s.orch.Admit(r.Context(), req)
	if err != nil {
		s.refuse(w, err)
		return
	}
	defer seg.Close()
	ctx, span := s.segmentSpan(r, &req, seg, begun)
	defer span.End()
	r = r.WithContext(ctx)
	admission.Prove(r.Context())
	req.Payment = pm.Payment{} // it may be large, and the work take long
	pace.allow(core.WorkDeadline(req.Duration))
	body, err := s.body(r, claim{peer: seg.Party(), covered: seg.PaidBytes()}, pace)
	if err != nil {
		seg.Failed(err)
		s.refuse(w, err)
		return
	}
	defer body.release()
	if err := seg.CheckHash(body.sum()); err != nil {
		seg.Failed(err)
		s.refuse(w, err)
		return
	}
	body.paid()
	pace.done()
	w.WriteHeader(http.StatusOK)
	if err := http.NewResponseController(w).Flush(); err != nil {
		return // the gateway is gone
	}
	s.answer(w, r, &req, seg, body)
}

// answer does the work and writes the rest of the answer.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, req *orchestrate.SegmentRequest,
	seg *orchestrate.Segment, body *upload) {
	done, failed := seg.Transcode(r.Context(), body.data)
	tracing.Current(r.Context()).Fail(failed)
	if failed != nil {
		w.Header().Set(http.TrailerPrefix+rpc.CodeHeader, string(fault.CodeOf(failed)))
	}
	msg, err := s.transcodeResult(req.Number, seg.Info(), done, failed)
	if err != nil {
		s.opt.Log.Error("result cannot be encoded", "err", err)
		return
	}
	if done != nil {
		w.Header().Set(http.TrailerPrefix+rpc.MediaTimeHeader, rpc.FormatMediaTime(done.MediaTime))
	}
	writeBy(w, s.opt.Now(), len(msg))
	_, _ = w.Write(msg) // the gateway may have closed the connection
}
