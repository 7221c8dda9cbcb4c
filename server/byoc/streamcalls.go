package byoc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/byoc"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/admission"
)

// startStream begins a stream, whose id is its job's.
func (s *Server) startStream(w http.ResponseWriter, r *http.Request) error {
	job, err := s.job(w, r)
	if err != nil {
		return err
	}
	if !byoc.ValidStreamID(job.ID) {
		return errStreamID
	}
	body, err := s.offeredBody(w, r, job, false)
	if err != nil {
		return err
	}
	defer body.Release()
	media, err := streamMedia(job)
	if err != nil {
		return err
	}
	parameters, err := object(body.Bytes())
	if err != nil {
		return err
	}
	held, err := s.take(r, job)
	if err != nil {
		return err
	}
	x := &stream{
		streamKey: streamKey{job.Sender, job.ID}, media: media, paidJob: held, hub: s.o.Hub, ended: make(chan struct{}),
		peers: []string{core.PeerName(r.RemoteAddr)},
	}
	x.party, _ = s.o.Rules.CapabilityParty(job.Sender, r.RemoteAddr)
	x.ctx, x.cancel = context.WithCancel(s.life)
	if err := s.add(x); err != nil {
		x.abandon()
		s.setBalance(w, s.o.Rules.CapabilityBalance(x.work))
		return err
	}
	if err := s.beginStream(w, r, x, job, body, parameters); err != nil {
		s.remove(x)
		x.abandon()
		s.forget(x)
		return err
	}
	return nil
}

// abandon ends a stream that has not begun.
func (x *stream) abandon() {
	x.cancel()
	x.finish()
}

// streamMedia reads what a stream's job says of it.
func streamMedia(job *byoc.Job) (byoc.Media, error) {
	if _, err := details(job); err != nil {
		return byoc.Media{}, err
	}
	media, err := job.Media()
	if err != nil {
		return media, &refusal{http.StatusBadRequest, "Unable to unmarshal job parameters err=" + err.Error()}
	}
	return media, nil
}

// object reads a body that may be empty, or is a JSON object.
func object(body []byte) (map[string]json.RawMessage, error) {
	fields := make(map[string]json.RawMessage)
	if len(bytes.TrimSpace(body)) == 0 {
		return fields, nil
	}
	if json.Unmarshal(body, &fields) != nil || fields == nil {
		return nil, errBody
	}
	return fields, nil
}

// beginStream takes the payment and starts the stream at its capability.
func (s *Server) beginStream(w http.ResponseWriter, r *http.Request, x *stream, job *byoc.Job, body Body,
	parameters map[string]json.RawMessage) error {
	if err := s.begin(r, x.paidJob, body, errBalanceOf); err != nil {
		return err
	}
	if err := x.open(s.o.Rand); err != nil {
		return err
	}
	text, err := x.request(s.insideURI(), parameters)
	if err != nil {
		return errBody
	}
	if err := s.startAt(r, x, job, text); err != nil {
		x.fail(err)
		s.setBalance(w, s.o.Rules.CapabilityBalance(x.work))
		return err
	}
	s.mu.Lock()
	closed := s.closed
	if !closed {
		x.started = true
		s.running.Go(func() { s.supervise(x) })
	}
	s.mu.Unlock()
	if closed {
		s.tellStopped(x)
		return errNoCapacity
	}
	u, h := x.urls(s.o.ServiceURI), w.Header()
	for name, value := range map[string]string{
		"X-Publish-Url": u.publish, "X-Subscribe-Url": u.subscribe, "X-Control-Url": u.control, "X-Events-Url": u.events,
		"X-Data-Url": u.data,
	} {
		if value != "" {
			h.Set(name, value)
		}
	}
	s.setBalance(w, s.o.Rules.CapabilityBalance(x.work))
	s.write(w, http.StatusOK, "", nil)
	return nil
}

// request is what the capability gets: the gateway's parameters, and the channels from its side.
func (x *stream) request(base string, parameters map[string]json.RawMessage) ([]byte, error) {
	all := make(map[string]any, len(parameters))
	for name, value := range parameters {
		all[name] = value
	}
	u := x.urls(base)
	for name, value := range map[string]string{
		"gateway_request_id": x.name, "control_url": u.control, "events_url": u.events, "subscribe_url": u.publish,
		"publish_url": u.subscribe, "data_url": u.data,
	} {
		// A gateway names no channels, also not in letters that some capabilities take for these.
		maps.DeleteFunc(all, func(given string, _ any) bool { return strings.EqualFold(given, name) })
		if value != "" {
			all[name] = value
		}
	}
	return json.Marshal(all)
}

// startAt starts a stream at its capability.
func (s *Server) startAt(r *http.Request, x *stream, job *byoc.Job, text []byte) error {
	late, stop := context.WithTimeoutCause(r.Context(), job.Timeout, errLate)
	defer stop()
	ctx, cancel := s.cut(late, x.paidJob)
	defer cancel()
	res, err := s.callStream(ctx, x, "stream/start", jsonHeader(), text)
	if err != nil {
		if err = because(ctx, err); errors.Is(err, errBalance) {
			err = errBalanceOf
		}
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxError))
	switch {
	case err != nil, r.Context().Err() != nil:
		s.tellStopped(x)
		return errBroken
	case res.StatusCode == http.StatusUnauthorized && s.tokenRefused(&x.slot.Capability):
		s.lost(&x.slot.Capability, errUnauthorized)
		return errWorker
	case res.StatusCode >= http.StatusBadRequest:
		return &refusal{res.StatusCode, string(answer)}
	}
	return nil
}

// updateStream passes new parameters on.
func (s *Server) updateStream(w http.ResponseWriter, r *http.Request) error {
	job, err := s.job(w, r)
	if err != nil {
		return err
	}
	x, err := s.find(r, job)
	if err != nil {
		w.Header().Set("Connection", "close")
		return err
	}
	body, err := s.body(w, r, job, false)
	if err != nil {
		return err
	}
	defer body.Release()
	if _, err := object(body.Bytes()); err != nil {
		return err
	}
	return s.pass(w, r, job, x, "stream/params", jsonHeader(), body)
}

// pass passes a request about a stream on, and its answer back.
func (s *Server) pass(w http.ResponseWriter, r *http.Request, job *byoc.Job, x *stream, path string,
	header http.Header, body Body) error {
	text := body.Bytes()
	if len(text) == 0 {
		text = []byte("{}")
	}
	ctx, cancel := context.WithTimeoutCause(r.Context(), job.Timeout, errLate)
	defer cancel()
	res, err := s.callStream(ctx, x, path, header, text)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := s.bodies.Answer(res.Body, res.ContentLength, body)
	if err != nil {
		return errBroken
	}
	defer answer.Release()
	if res.StatusCode >= http.StatusBadRequest {
		return &refusal{res.StatusCode, string(answer.Bytes())}
	}
	s.write(w, res.StatusCode, typeText, answer.Bytes())
	return nil
}

// stopStream ends a stream. It is idempotent: of one that is not there nothing is known, and nothing is passed on.
func (s *Server) stopStream(w http.ResponseWriter, r *http.Request) error {
	job, err := s.job(w, r)
	if err != nil {
		return err
	}
	x, unknown := s.find(r, job)
	if unknown != nil && !errors.Is(unknown, errNoStream) {
		return unknown
	}
	body, err := s.body(w, r, job, false)
	if err != nil {
		return err
	}
	defer body.Release()
	if unknown != nil || !s.remove(x) {
		s.write(w, http.StatusOK, typeText, nil)
		return nil
	}
	defer s.forget(x)
	x.cancel()
	<-x.ended
	err = s.pass(w, r, job, x, "stream/stop", http.Header{}, body)
	failures := []error{errUnreached, errNoCapacity, errBroken, errLate}
	if slices.ContainsFunc(failures, func(e error) bool { return errors.Is(err, e) }) {
		s.tellStopped(x)                         // the gateway may have gone before its capability was told
		s.write(w, http.StatusOK, typeText, nil) // it has ended here
		return nil
	}
	return err
}

// payStream takes a further payment, at the stream's price or the present one.
func (s *Server) payStream(w http.ResponseWriter, r *http.Request) error {
	job, err := s.job(w, r)
	if err != nil {
		return err
	}
	work := workOf(r, job.Capability, job.Sender, pm.Price{})
	x, err := s.payable(job, work)
	if err != nil {
		return err
	}
	proved, err := s.o.Rules.CreditCapability(r.Context(), work)
	if err != nil {
		return unpaid(err, errBalance)
	}
	if proved {
		admission.Prove(r.Context())
		s.addPeer(x, core.PeerName(r.RemoteAddr))
	}
	s.setBalance(w, s.o.Rules.CapabilityBalance(work))
	s.write(w, http.StatusOK, "", nil)
	return nil
}

// payable finds the stream of a payment, and sets the price that the payment is checked against.
func (s *Server) payable(job *byoc.Job, work *orchestrate.CapabilityWork) (*stream, error) {
	d, err := details(job)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	x := s.streams[streamKey{job.Sender, d.StreamID}]
	s.mu.Unlock()
	if x == nil || x.work.Capability != job.Capability {
		return nil, errNoStream
	}
	work.Price = x.work.Price
	expected := work.Payment.Expected
	if expected == nil || expected.Equal(work.Price) {
		return x, nil
	}
	c, _, _ := s.registry.Find(job.Capability)
	if now, err := s.price(&c); err == nil && expected.Equal(now) {
		work.Price = now
	}
	return x, nil
}

// addPeer lets a stream be used from an address from which it was paid.
func (s *Server) addPeer(x *stream, peer string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, known := range x.peers {
		if known == peer {
			return
		}
	}
	if len(x.peers) < maxPeers {
		x.peers = append(x.peers, peer)
	}
}
