package livevideo

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/status"
)

// serverlessRequest is what a client asks for. Params are the runner's and pass as they are.
type serverlessRequest struct {
	Request string          `json:"gateway_request_id"`
	Params  json.RawMessage `json:"params"`
}

// choice is what of the parameters is meant for this node.
type choice struct {
	URL  string `json:"ws_url"`
	User string `json:"daydream_user_id"`
}

// answer names a session's channels. A client gets it, and a runner with the request.
type answer struct {
	Control   string `json:"control_url"`
	Events    string `json:"events_url"`
	ID        string `json:"manifest_id"`
	Publish   string `json:"publish_url"`
	Subscribe string `json:"subscribe_url"`
}

// runnerRequest is what starts a runner.
type runnerRequest struct {
	answer
	serverlessRequest
}

func badRequest(err error) error { return &refusal{http.StatusBadRequest, err.Error()} }

func busy() error { return &refusal{http.StatusServiceUnavailable, busyText} }

// Start serves a request for a session. The order is the network's: body, payment, capacity, runner.
func (s *Serverless) Start(w http.ResponseWriter, r *http.Request) {
	var in serverlessRequest
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&in); err != nil {
		s.refuse(w, badRequest(err))
		return
	}
	if s.o.Draining() {
		s.refuse(w, busy())
		return
	}
	to, header, err := s.destination(in.Params)
	if err != nil {
		s.refuse(w, err)
		return
	}
	if s.o.Payments != nil && s.o.Payments.Asked(r) {
		s.o.Payments.Challenge(w, r, s.o.Runner.Model)
		return
	}
	// The runner may have to begin; the listener's own limits are for short requests.
	c := http.NewResponseController(w)
	late := time.Now().Add(s.o.Times.Start + writeTime)
	_, _ = c.SetReadDeadline(late), c.SetWriteDeadline(late)
	a, err := s.start(r, &in, to, header)
	if err != nil {
		s.refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", jsonType)
	data, _ := json.Marshal(a) // strings cannot fail
	_, _ = w.Write(data)
}

// destination is where a request's session connects to, with the headers that it is opened with.
func (s *Serverless) destination(params json.RawMessage) (*url.URL, http.Header, error) {
	var c choice
	if len(params) > 0 {
		if err := json.Unmarshal(params, &c); err != nil {
			return nil, nil, badRequest(errors.New("params is invalid"))
		}
	}
	to, err := s.o.Runner.target(c.URL)
	if err != nil {
		return nil, nil, badRequest(err)
	}
	user, err := userOf(c.User)
	if err != nil {
		return nil, nil, badRequest(err)
	}
	header := http.Header{"User-Agent": {"Go-http-client/1.1"}, "Daydream-User-Id": {user}}
	if !s.o.Runner.Key.IsZero() {
		header.Set("Authorization", "Key "+s.o.Runner.Key.Reveal())
	}
	return to, header, nil
}

// start takes payment and a slot, and starts the runner.
func (s *Serverless) start(r *http.Request, in *serverlessRequest, to *url.URL, header http.Header) (*answer, error) {
	var random [16]byte
	if _, err := io.ReadFull(s.o.Rand, random[:]); err != nil {
		return nil, fault.Wrap(fault.Unexpected, "name a session", err)
	}
	id, meter := hex.EncodeToString(random[:]), Meter(freeMeter{})
	if s.o.Payments != nil {
		var err error
		if id, meter, err = s.o.Payments.Open(r, id, s.o.Runner.Model); err != nil {
			return nil, err
		}
	}
	life, give, ok := s.take()
	if !ok {
		meter.Drop()
		return nil, busy()
	}
	x, a := s.open(id, meter)
	err := s.startRunner(r.Context(), life, x, a, in, to, header)
	if err == nil && r.Context().Err() != nil {
		err = errLost // the client has gone
	}
	if err != nil {
		x.close()
		if x.conn == nil && r.Context().Err() == nil { // the runner did not get it
			meter.Drop()
		} else {
			meter.Close()
		}
		give()
		return nil, err
	}
	go func() { // give ends what Run waits for
		defer give()
		x.supervise(life)
	}()
	return a, nil
}

// open makes a session and its channels.
func (s *Serverless) open(id string, meter Meter) (*serverlessSession, *answer) {
	base := channelBase(s.o.ServiceURI)
	x := &serverlessSession{
		id: id, base: base, hub: s.o.Hub, times: s.o.Times, tick: s.o.Tick, now: s.o.Now, log: s.o.Log, meter: meter,
		media: make(map[string]string),
	}
	x.control, x.events = s.o.Hub.Open(id, id+"-control", jsonType), s.o.Hub.Open(id, id+"-events", jsonType)
	return x, &answer{Control: base + id + "-control", Events: base + id + "-events", ID: id}
}

// startRunner connects to the runner and waits until it has started, until ctx or life ends.
func (s *Serverless) startRunner(ctx, life context.Context, x *serverlessSession, a *answer,
	in *serverlessRequest, to *url.URL, header http.Header) (err error) {
	ctx, cancel := context.WithTimeout(ctx, s.o.Times.Start)
	defer cancel()
	stop := context.AfterFunc(life, cancel)
	defer stop()
	if len(in.Params) == 0 {
		in.Params = json.RawMessage("{}")
	}
	if x.start, err = json.Marshal(&runnerRequest{*a, *in}); err != nil {
		return badRequest(errors.New("params is invalid"))
	}
	header.Set("Manifest-Id", x.id)
	x.conn, err = dial(ctx, to, header)
	if ctx.Err() == nil {
		s.o.Reached(err)
	}
	if err != nil {
		return &runnerError{codeUnreachable, "the runner cannot be reached"}
	}
	return x.begin(ctx)
}

// refuse answers with an error in the network's form.
func (s *Serverless) refuse(w http.ResponseWriter, err error) {
	if own, ok := errors.AsType[*refusal](err); ok {
		http.Error(w, own.text, own.status)
		return
	}
	if f, ok := errors.AsType[*fault.Fault](err); ok {
		w.Header().Set(rpc.CodeHeader, string(f.Code))
		code := status.Job(err)
		if f.Code == fault.LiveSessionExists {
			code = http.StatusConflict
		}
		http.Error(w, fault.Wire(err), code)
		return
	}
	r, ok := errors.AsType[*runnerError](err)
	if !ok {
		r = &runnerError{"PROTOCOL", err.Error()}
	}
	s.o.Log.Debug("a serverless runner started no session", "err", r)
	http.Error(w, r.Error(), r.status())
}
