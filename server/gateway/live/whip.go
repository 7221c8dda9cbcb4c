package live

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/pion/rtcp"
	"github.com/pion/webrtc/v4"
)

// audioWithin is how long a publisher's sound is waited for after its picture.
const audioWithin = 500 * time.Millisecond

// serveWHIP takes a publisher's offer.
func (s *Server) serveWHIP(w http.ResponseWriter, r *http.Request) {
	if !s.cors(w, r) {
		return
	}
	if r.Method != http.MethodPost {
		wrongMethod(w, r)
		return
	}
	if s.o.Access != nil {
		if _, err := s.o.Access.Push(r); err != nil {
			refuse(w, err)
			return
		}
	}
	name, q := r.PathValue("stream"), r.URL.Query()
	params := json.RawMessage(q.Get("params"))
	offer, ok := readOffer(w, r)
	switch {
	case !ok:
		return
	case len(params) > 0 && !json.Valid(params):
		http.Error(w, textParams, http.StatusBadRequest)
		return
	case len(name) > maxName || len(q.Get("streamId")) > maxName || len(q.Get("pipeline")) > maxName:
		http.Error(w, textMalformed, http.StatusBadRequest)
		return
	}
	st, resource, err := s.newStream(name, r)
	if err != nil {
		refuse(w, err)
		return
	}
	st.model, st.params, st.only = q.Get("pipeline"), params, q.Get("orchestrator")
	in, text, err := s.accept(offer)
	if err != nil {
		refuseOffer(w, err)
		return
	}
	if err := s.launch(st, in); err != nil {
		_ = in.pc.Close() // nothing was sent over it
		refuse(w, err)
		return
	}
	answerWHIP(w, r, st, resource, text)
}

// answerWHIP answers a publisher.
func answerWHIP(w http.ResponseWriter, r *http.Request, st *stream, resource, text string) {
	h := w.Header()
	h.Set("Access-Control-Expose-Headers", "Location, ETag, Link, Livepeer-Playback-URL")
	h.Set("Content-Type", "application/sdp")
	h.Set("Etag", `W/"`+resource+`"`)
	h.Set("Link", stunServer)
	h.Set("Livepeer-Playback-Url", st.playURL)
	h.Set("Location", "http://"+r.Host+r.URL.Path+"/"+resource)
	w.WriteHeader(http.StatusCreated)
	_, _ = w.Write([]byte(text))
}

// refuseOffer answers an offer that cannot be taken, as the network's gateways do.
func refuseOffer(w http.ResponseWriter, err error) {
	text := strings.TrimPrefix(err.Error(), "failed to unmarshal SDP: ")
	http.Error(w, "SetRemoteDescription failed: "+text, http.StatusBadRequest)
}

// newStream makes a stream, and the name of its resource.
func (s *Server) newStream(name string, r *http.Request) (*stream, string, error) {
	resource, err := s.random(8)
	if err != nil {
		return nil, "", err
	}
	request, err := s.random(4)
	if err != nil {
		return nil, "", err
	}
	st := &stream{srv: s, published: published{name: name, id: r.URL.Query().Get("streamId"), request: request},
		out: newOutput(s.o.Now), done: make(chan struct{}), changed: make(chan struct{})}
	if st.id == "" {
		st.id = name
	}
	base := s.o.PlaybackURL
	if base == "" {
		base = "http://" + r.Host + path
	}
	st.playURL = base + name + "-" + request + "-out/whep"
	st.seg = &segmenter{least: s.o.Limits.MinSegment, now: s.o.Now}
	return st, resource, nil
}

// input is a publisher's connection.
type input struct {
	pc *webrtc.PeerConnection
	// tracks are the publisher's, as they come.
	tracks chan *webrtc.TrackRemote
}

// accept answers a publisher's offer.
func (s *Server) accept(offer string) (*input, string, error) {
	pc, err := s.rtc.publish.NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		return nil, "", err
	}
	in := &input{pc: pc, tracks: make(chan *webrtc.TrackRemote, 2)}
	pc.OnTrack(func(t *webrtc.TrackRemote, _ *webrtc.RTPReceiver) {
		select {
		case in.tracks <- t:
		default: // a third one
		}
	})
	err = take(pc, offer)
	var text string
	if err == nil {
		text, err = answer(pc)
	}
	if err != nil {
		_ = pc.Close() // nothing was sent over it
		return nil, "", err
	}
	return in, text, nil
}

// launch makes a stream known and runs it until its connection ends. The error is a fault.
func (s *Server) launch(st *stream, in *input) error {
	ctx, stop := context.WithCancelCause(s.ctx)
	st.stop = stop
	if err := s.add(st); err != nil {
		stop(nil)
		return err
	}
	in.pc.OnConnectionStateChange(func(c webrtc.PeerConnectionState) {
		if c == webrtc.PeerConnectionStateFailed || c == webrtc.PeerConnectionStateClosed {
			stop(errPublisherGone)
		}
	})
	if !s.background(func() {
		var work = make(chan struct{})
		go func() { defer close(work); st.ingest(ctx, in, st.stop) }()
		st.run(ctx)
		stop(errPublisherGone)
		_ = in.pc.Close() // it is over
		<-work
	}) {
		stop(errStopping)
		close(st.done)
	}
	return nil
}

// ingest reads a publisher's tracks until ctx ends, which stop makes it do.
func (s *stream) ingest(ctx context.Context, in *input, stop context.CancelCauseFunc) {
	video, audio := s.awaitTracks(ctx, in)
	if video == nil || !strings.EqualFold(video.Codec().MimeType, webrtc.MimeTypeH264) {
		stop(errNoInput)
		return
	}
	s.seg.mu.Lock()
	s.seg.audio, s.seg.lastAt = audio != nil, s.srv.o.Now()
	s.seg.mu.Unlock()
	ssrc := uint32(video.SSRC())
	wanted := make(chan struct{}, 1)
	s.seg.ask(func() {
		select {
		case wanted <- struct{}{}:
		default:
		}
	})
	done := make(chan struct{}, 2)
	began := s.plan.mediaBegan(s.srv.o.Now())
	go func() { defer func() { done <- struct{}{} }(); s.readVideo(video, began) }()
	readers := 1
	if audio != nil {
		readers++
		go func() { defer func() { done <- struct{}{} }(); s.readAudio(audio, began) }()
	}
	tick := time.NewTicker(s.srv.o.Limits.Watch)
	defer tick.Stop()
	for readers > 0 {
		select {
		case <-wanted:
			_ = in.pc.WriteRTCP([]rtcp.Packet{&rtcp.PictureLossIndication{MediaSSRC: ssrc}}) // they come regularly too
		case <-tick.C:
			if last, _, _ := s.seg.last(); s.srv.o.Now().Sub(last) >= s.srv.o.Limits.InputSilence {
				stop(errNoInput)
			}
		case <-done: // with the connection, which ends with ctx
			readers--
			stop(errPublisherGone)
		}
	}
}

// awaitTracks waits for a publisher's picture, and then a moment for its sound.
func (s *stream) awaitTracks(ctx context.Context, in *input) (video, audio *webrtc.TrackRemote) {
	late := time.NewTimer(s.srv.o.Limits.Gather)
	defer late.Stop()
	sound := false
	for _, t := range in.pc.GetTransceivers() {
		sound = sound || t.Kind() == webrtc.RTPCodecTypeAudio
	}
	for video == nil || audio == nil && sound {
		select {
		case t := <-in.tracks:
			if t.Kind() == webrtc.RTPCodecTypeAudio {
				audio = t
				continue
			}
			video = t
			late.Reset(audioWithin)
		case <-late.C:
			return video, audio
		case <-ctx.Done():
			return nil, nil
		}
	}
	return video, audio
}

func (s *stream) readVideo(t *webrtc.TrackRemote, began time.Time) {
	c := clock{rate: videoClock}
	a := assembler{now: s.srv.o.Now, deliver: func(timestamp uint32, unit []byte, whole bool) {
		s.seg.video(c.at(timestamp, s.since(began)), unit, whole)
	}}
	for {
		p, _, err := t.ReadRTP()
		if err != nil {
			return
		}
		a.push(p)
	}
}

func (s *stream) readAudio(t *webrtc.TrackRemote, began time.Time) {
	c := clock{rate: audioClock}
	for {
		p, _, err := t.ReadRTP()
		if err != nil {
			return
		}
		s.seg.sound(c.at(p.Timestamp, s.since(began)), p.Payload)
	}
}

// since is the time of the media at which a track begins now.
func (s *stream) since(began time.Time) int64 {
	return firstTime + int64(s.srv.o.Now().Sub(began)*videoClock/time.Second)
}
