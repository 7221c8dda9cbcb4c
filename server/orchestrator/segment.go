package orchestrator

import (
	"context"
	"errors"
	"net/http"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/admission"
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
	req.From = access.Host(r.RemoteAddr)
	span := segmentSpan{s: s, r: r, begun: begun}
	if s.opt.Tracer.On() {
		req.Proven = span.begin
	}
	seg, err := s.orch.Admit(r.Context(), req)
	defer func() { span.end(&req, err) }()
	if err != nil {
		s.refuse(w, err)
		return
	}
	defer seg.Close()
	r = span.r
	admission.Prove(r.Context())
	req.Payment = pm.Payment{} // it may be large, and the work take long
	pace.allow(core.WorkDeadline(req.Duration))
	body, err := s.body(r, req.Hashed, claim{peer: seg.Party(), covered: seg.PaidBytes()}, pace)
	if err != nil {
		s.refuseAdmitted(w, seg, err)
		return
	}
	defer body.release()
	if err = seg.CheckHash(body.sum()); err != nil {
		s.refuseAdmitted(w, seg, err)
		return
	}
	body.paid()
	pace.done()
	if err = s.work(w, r, &req, seg, body); err != nil {
		s.refuse(w, err)
	}
}

// refuseAdmitted refuses a segment whose payment was taken. The answer says that the tickets are credited, so it
// follows them to the disk; it is another one if they cannot be written.
func (s *Server) refuseAdmitted(w http.ResponseWriter, seg *orchestrate.Segment, err error) {
	seg.Failed(err)
	if unpaid := seg.Paid(); unpaid != nil {
		err = unpaid
	}
	s.refuse(w, err)
}

// errGatewayGone cancels the work when the status cannot be sent.
var errGatewayGone = errors.New("the gateway closed the connection")

// work does the work and answers. The status is sent when the payment is on disk; the work begins meanwhile. The
// error is why the payment was not accepted; nothing was sent then.
func (s *Server) work(w http.ResponseWriter, r *http.Request, req *orchestrate.SegmentRequest,
	seg *orchestrate.Segment, body *upload) error {
	if seg.IsPaid() {
		if err := acknowledge(w, seg); err != nil {
			return unlessGone(err)
		}
		s.answer(r.Context(), w, req, seg, body, nil)
		return nil
	}
	ctx, cancel := context.WithCancel(r.Context())
	acknowledged, ended := make(chan error, 1), make(chan struct{})
	// The connection must not be used after the handler, also not if the work panics.
	defer func() { cancel(); <-ended }()
	go func() {
		defer close(ended)
		err := acknowledge(w, seg)
		if err != nil {
			cancel()
		}
		acknowledged <- err
	}()
	return unlessGone(s.answer(ctx, w, req, seg, body, acknowledged))
}

// unlessGone returns nothing to answer where the gateway is gone.
func unlessGone(err error) error {
	if errors.Is(err, errGatewayGone) {
		return nil
	}
	return err
}

// acknowledge sends the status of an accepted upload, once its payment is on disk.
func acknowledge(w http.ResponseWriter, seg *orchestrate.Segment) error {
	if err := seg.Paid(); err != nil {
		return err
	}
	w.WriteHeader(http.StatusOK)
	if http.NewResponseController(w).Flush() != nil {
		return errGatewayGone
	}
	return nil
}

// answer does the work and writes the rest of the answer. acknowledged, unless nil, sends the outcome of acknowledge;
// the error is that one.
func (s *Server) answer(ctx context.Context, w http.ResponseWriter, req *orchestrate.SegmentRequest,
	seg *orchestrate.Segment, body *upload, acknowledged <-chan error) error {
	done, failed := seg.Transcode(ctx, body.data)
	telemetry.Current(ctx).Fail(failed)
	if acknowledged != nil {
		if err := <-acknowledged; err != nil {
			return err
		}
	}
	if failed != nil {
		w.Header().Set(http.TrailerPrefix+rpc.CodeHeader, string(fault.CodeOf(failed)))
	}
	msg, err := s.transcodeResult(req.Number, seg.Info(), done, failed)
	if err != nil {
		s.opt.Log.Error("result cannot be encoded", "err", err)
		return nil
	}
	if done != nil {
		w.Header().Set(http.TrailerPrefix+rpc.MediaTimeHeader, rpc.FormatMediaTime(done.MediaTime))
	}
	writeBy(w, s.opt.Now(), len(msg))
	_, _ = w.Write(msg) // the gateway may have closed the connection
	return nil
}
