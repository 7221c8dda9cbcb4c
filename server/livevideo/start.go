package livevideo

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/status"
)

const (
	// maxBody bounds a request, in bytes; parameters are its largest part.
	maxBody = 1 << 20
	// startTime is how long reservation and start of a runner may take: gateways wait for 5 s.
	startTime = 4500 * time.Millisecond
	// maxAnswer bounds what is kept of a runner's answer, in bytes.
	maxAnswer = 64 << 10
	// busyText makes gateways try another orchestrator.
	busyText = "insufficient capacity"
	jsonType = "application/json"
)

// request is what a gateway asks for. Params are the pipeline's and pass as they are.
type request struct {
	Model   string          `json:"model_id"`
	Params  json.RawMessage `json:"params"`
	Request string          `json:"gateway_request_id"`
	Stream  string          `json:"stream_id"`
}

// refusal is an answer with a status and a text of the network.
type refusal struct {
	status int
	text   string
}

// Error returns the text.
func (r *refusal) Error() string { return r.text }

// Start serves a request for a session. admit checks the request's credentials and returns the party that
// is accountable for it; it is called after the body was read, as in the network's order.
func (s *Server) Start(w http.ResponseWriter, r *http.Request, admit func() (party string, err error)) {
	answer, err := s.start(w, r, admit)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	data, err := json.Marshal(answer)
	if err != nil {
		http.Error(w, "cannot encode the answer", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", jsonType)
	_, _ = w.Write(data)
}

func (s *Server) start(w http.ResponseWriter, r *http.Request, admit func() (string, error)) (*ChannelURLs, error) {
	req, err := readRequest(w, r)
	if err != nil {
		return nil, err
	}
	// Counted from here on, a session that begins is not missed by a drain.
	life, done := s.sessions.Begin(s.life)
	begun := false
	defer func() {
		if !begun {
			done()
		}
	}()
	model := modelNamed(req.Model)
	if s.o.Draining() || s.o.Workers.Full(model) {
		return nil, &refusal{http.StatusServiceUnavailable, busyText}
	}
	party, err := admit()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), startTime)
	defer cancel()
	slot, err := s.o.Workers.Reserve(ctx, model, party)
	if err != nil {
		return nil, err
	}
	x, err := s.open(r, model, slot)
	if err != nil {
		slot.Release()
		return nil, err
	}
	if err := x.startRunner(ctx, s, req); err != nil {
		x.abandon()
		return nil, err
	}
	if begun = r.Context().Err() == nil && s.begin(life, x, done); !begun {
		x.abandon()
		return nil, &refusal{http.StatusServiceUnavailable, busyText}
	}
	answer := gatewayChannels(s.o.ServiceURI, x.id)
	answer.ID = x.paid
	return &answer, nil
}

// readRequest reads the body. Older gateways name stream and request in headers.
func readRequest(w http.ResponseWriter, r *http.Request) (*request, error) {
	var req request
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&req); err != nil {
		return nil, &refusal{http.StatusBadRequest, err.Error()}
	}
	if req.Model == "" {
		return nil, &refusal{http.StatusBadRequest, "model_id is required"}
	}
	req.Stream = cmp.Or(req.Stream, r.Header.Get("streamID"))
	req.Request = cmp.Or(req.Request, r.Header.Get("requestID"))
	if len(req.Params) == 0 {
		req.Params = json.RawMessage("{}")
	}
	return &req, nil
}

// open makes a session that is paid by a request.
func (s *Server) open(r *http.Request, model inference.Model, slot inference.LongSlot) (*session, error) {
	x := &session{hub: s.o.Hub, slot: slot, meter: freeMeter{}, log: s.o.Log}
	if err := x.rename(s.o.Rand); err != nil {
		return nil, err
	}
	x.paid = x.id
	if s.o.Payments != nil {
		meter, err := s.o.Payments.Open(r, x.paid, model)
		if err != nil {
			return nil, err
		}
		x.meter = meter
	}
	x.openChannels()
	return x, nil
}

// startRunner gives the session to its runner, which answers at once and works on. Where that fails at one
// worker of another machine, the next one gets the session under a new id: the first one knows the old.
func (x *session) startRunner(ctx context.Context, s *Server, req *request) error {
	for {
		err := x.tryRunner(ctx, s, req)
		again, ok := x.slot.(inference.RemoteSlot)
		if err == nil || ctx.Err() != nil || !ok || !again.CanRetry(err) {
			return startFault(ctx, err)
		}
		x.closeChannels()
		if err := x.rename(s.o.Rand); err != nil {
			return err
		}
		x.openChannels()
	}
}

func (x *session) tryRunner(ctx context.Context, s *Server, req *request) error {
	id := req.Request
	if !orchestrate.UsableRequestID(id) {
		id = "" // it goes into headers and logs
	}
	sent := RunnerRequest{Params: req.Params, Model: req.Model, Request: req.Request, Stream: req.Stream}
	sent.Address(s.runnerURI(), x.id)
	body, err := json.Marshal(&sent)
	if err != nil {
		return &refusal{http.StatusBadRequest, "params are no JSON"}
	}
	// The work outlives the request, its start does not.
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	x.cancel = cancel
	stop := context.AfterFunc(ctx, cancel)
	reply, err := x.slot.Run(work, &inference.Job{
		Model: modelNamed(req.Model), Body: body, ContentType: jsonType, RequestID: id,
	})
	x.reached = err == nil || ctx.Err() != nil
	if err != nil {
		cancel()
		return err
	}
	x.answer, x.worker = reply.Body, reply.Worker
	text, err := io.ReadAll(io.LimitReader(reply.Body, maxAnswer))
	if !stop() {
		return ctx.Err()
	}
	if reply.Status >= http.StatusMultipleChoices {
		return containerError(reply.Status, inference.Message(text))
	}
	return err
}

// runnerURI is the orchestrator's address as runners know it.
func (s *Server) runnerURI() string {
	u, err := url.Parse(s.o.ServiceURI)
	if err != nil || s.o.RunnerHost == "" {
		return s.o.ServiceURI
	}
	return u.Scheme + "://" + s.o.RunnerHost
}

// startFault is the fault of a start that failed.
func startFault(ctx context.Context, err error) error {
	if own, ok := errors.AsType[*refusal](err); ok {
		return own
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fault.Wrap(fault.ModelWaitOver, "start a live runner", err)
	case fault.ClassOf(err) == fault.Busy:
		return err
	}
	return containerError(http.StatusInternalServerError, inference.NetworkText(capability.LiveVideoToVideo,
		fault.Wire(err)))
}

// containerError is a runner's error as gateways know it.
func containerError(code int, text string) error {
	return &refusal{
		http.StatusInternalServerError, "live-video-to-video container returned " + strconv.Itoa(code) + ": " + text,
	}
}

// refuse answers with an error in the network's form.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if own, ok := errors.AsType[*refusal](err); ok {
		http.Error(w, own.text, own.status)
		return
	}
	if r.Context().Err() != nil {
		return // the gateway has gone
	}
	s.o.Log.Debug("live video refused", fault.Attr(err))
	w.Header().Set(rpc.CodeHeader, string(fault.CodeOf(err)))
	if fault.ClassOf(err) == fault.Busy || fault.CodeOf(err) == fault.ModelNotReady {
		http.Error(w, busyText, http.StatusServiceUnavailable)
		return
	}
	http.Error(w, fault.Wire(err), status.Job(err))
}
