package live

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/bluenviron/mediacommon/v2/pkg/formats/mpegts"
	"github.com/pion/rtcp"
	"github.com/pion/webrtc/v4"

	"github.com/tuttinode/tutti/server/gateway/segmenter"
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
	by, err := s.mayPublish(r, unknown(r))
	if err != nil {
		refuse(w, err)
		return
	}
	name, q := r.PathValue("stream"), r.URL.Query()
	offer, ok := readOffer(w, r)
	if !ok {
		return
	}
	if why := checkPublisher(name, q); why != "" {
		http.Error(w, why, http.StatusBadRequest)
		return
	}
	resource, err := s.random(8)
	if err != nil {
		refuse(w, err)
		return
	}
	st, err := s.newStream(by, name, r.Host, requestNumber, q)
	if err == nil {
		err = s.admit(r.Context(), publisherOf(r, name, q), st, kindOwn, r.URL.RawQuery)
	}
	if err != nil {
		refuseStream(w, err)
		return
	}
	in, text, err := s.accept(offer)
	if err != nil {
		refuseOffer(w, err)
		return
	}
	if err := s.launch(st, in); err != nil {
		_ = in.pc.Close() // nothing was sent over it
		refuseStream(w, err)
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

// input is a publisher's connection.
type input struct {
	pc *webrtc.PeerConnection
	// tracks are the publisher's, as they come.
	tracks chan *webrtc.TrackRemote
}

// accept answers a publisher's offer.
func (s *Server) accept(offer string) (*input, string, error) {
	pc, err := s.newPeer(false)
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
	s.start(ctx, st, func() { st.ingest(ctx, in, st.stop) }, func() { _ = in.pc.Close() })
	return nil
}

// ingest reads a publisher's tracks until ctx ends, which stop makes it do.
func (s *stream) ingest(ctx context.Context, in *input, stop context.CancelCauseFunc) {
	video, audio := s.awaitTracks(ctx, in)
	if video == nil || !strings.EqualFold(video.Codec().MimeType, webrtc.MimeTypeH264) {
		stop(errNoInput)
		return
	}
	if audio != nil {
		s.seg.SetSound(&mpegts.CodecOpus{ChannelCount: 2})
	}
	s.seg.Touch()
	ssrc := uint32(video.SSRC())
	wanted := make(chan struct{}, 1)
	s.seg.OnWantKey(func() {
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
	var passed traffic
	defer func() { passed.report(in.pc, s.srv.o.Recorder) }()
	for readers > 0 {
		select {
		case <-wanted:
			_ = in.pc.WriteRTCP([]rtcp.Packet{&rtcp.PictureLossIndication{MediaSSRC: ssrc}}) // they come regularly too
		case <-tick.C:
			s.measure(in.pc)
			passed.report(in.pc, s.srv.o.Recorder)
			if last, _, _ := s.seg.Last(); s.srv.o.Now().Sub(last) >= s.srv.o.Limits.InputSilence {
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
	measured := s.ingested.track("video", videoClock, began)
	a := assembler{now: s.srv.o.Now, deliver: func(timestamp uint32, unit []byte, whole bool) {
		s.seg.AnnexB(c.at(timestamp, s.since(began)), unit, whole)
	}}
	for {
		p, _, err := t.ReadRTP()
		if err != nil {
			return
		}
		measured.add(p, s.srv.o.Now())
		a.push(p)
	}
}

func (s *stream) readAudio(t *webrtc.TrackRemote, began time.Time) {
	c := clock{rate: audioClock}
	measured := s.ingested.track("audio", audioClock, began)
	for {
		p, _, err := t.ReadRTP()
		if err != nil {
			return
		}
		measured.add(p, s.srv.o.Now())
		s.seg.Sound(c.at(p.Timestamp, s.since(began)), p.Payload)
	}
}

// since is the time of the media at which a track begins now.
func (s *stream) since(began time.Time) int64 {
	return segmenter.FirstTime + int64(s.srv.o.Now().Sub(began)*videoClock/time.Second)
}
