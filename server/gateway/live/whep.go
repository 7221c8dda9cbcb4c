package live

import (
	"context"
	"encoding/binary"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/pion/webrtc/v4"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

const (
	// outputWithin is how long a viewer waits for a stream's first picture, connectWithin how long it may
	// take to connect.
	outputWithin  = 30 * time.Second
	connectWithin = 20 * time.Second
)

// serveWHEP takes a viewer's offer.
func (s *Server) serveWHEP(w http.ResponseWriter, r *http.Request) {
	if !s.cors(w, r) {
		return
	}
	switch r.Method {
	case http.MethodPost:
	case http.MethodPatch:
		w.WriteHeader(http.StatusNotImplemented)
		return
	default:
		wrongMethod(w, r)
		return
	}
	name := r.PathValue("stream")
	if s.o.Access != nil {
		if _, err := s.o.Access.Play(r, core.ManifestID(name), s.o.Now()); err != nil {
			refuse(w, err)
			return
		}
	}
	offer, ok := readOffer(w, r)
	if !ok {
		return
	}
	st, malformed := s.splitOutput(name)
	switch {
	case malformed:
		http.Error(w, textMalformed, http.StatusNotFound)
		return
	case st == nil || st.over():
		http.Error(w, textNoStream, http.StatusNotFound)
		return
	}
	base, err := s.randomNumber()
	if err != nil {
		refuse(w, err)
		return
	}
	s.view(w, r, st, newViewer(base), offer)
}

// view connects a viewer to a stream's output.
func (s *Server) view(w http.ResponseWriter, r *http.Request, st *stream, v *viewer, offer string) {
	if !st.out.join(v, max(0, s.o.Limits.Viewers), s.viewerOf(r)) {
		http.Error(w, textViewers, http.StatusTooManyRequests)
		return
	}
	if !st.awaitOutput(r.Context()) {
		st.out.leave(v)
		http.Error(w, textNoOutput, http.StatusNotFound)
		return
	}
	pc, text, err := s.acceptViewer(st, v, offer)
	if err != nil {
		st.out.leave(v)
		http.Error(w, "SetRemoteDescription failed", http.StatusBadRequest)
		return
	}
	ctx, stop := context.WithCancel(s.ctx)
	connected := make(chan struct{}, 1)
	pc.OnConnectionStateChange(func(c webrtc.PeerConnectionState) {
		switch c {
		case webrtc.PeerConnectionStateConnected:
			select {
			case connected <- struct{}{}:
			default:
			}
		case webrtc.PeerConnectionStateFailed, webrtc.PeerConnectionStateClosed:
			stop()
		}
	})
	if s.o.Access != nil {
		check := s.o.Access.Playing(r, core.ManifestID(r.PathValue("stream")), s.o.Now)
		go func() { // ends with ctx
			if check.Watch(ctx, s.o.Limits.KeyCheck) != nil {
				stop()
			}
		}()
	}
	run := func() {
		defer func() {
			st.out.leave(v)
			stop()
			_ = pc.Close() // it is over
		}()
		late := time.NewTimer(connectWithin)
		defer late.Stop()
		select {
		case <-connected:
			st.out.begin(v)
			v.run(ctx)
		case <-late.C:
		case <-st.done:
		case <-ctx.Done():
		}
	}
	if !s.background(run) {
		run()
	}
	w.Header().Set("Content-Type", "application/sdp")
	w.WriteHeader(http.StatusCreated)
	_, _ = w.Write([]byte(text))
}

// viewerOf is the address of a viewer without a key, the zero Prefix for others.
func (s *Server) viewerOf(r *http.Request) netip.Prefix {
	from := unknown(r)
	if s.o.Access == nil || !from.IsValid() {
		return from
	}
	if key, _ := s.o.Access.Client(r); key != "" {
		return netip.Prefix{}
	}
	return from
}

// awaitOutput waits for a stream's first picture.
func (s *stream) awaitOutput(ctx context.Context) bool {
	late := time.NewTimer(outputWithin)
	defer late.Stop()
	select {
	case <-s.out.first:
		return true
	case <-s.done:
	case <-late.C:
	case <-ctx.Done():
	}
	return false
}

// acceptViewer answers a viewer's offer with the tracks that the output has.
func (s *Server) acceptViewer(st *stream, v *viewer, offer string) (*webrtc.PeerConnection, string, error) {
	pc, err := s.newPeer(true)
	if err != nil {
		return nil, "", err
	}
	text, err := func() (string, error) {
		var err error
		if v.video, err = addTrack(pc, webrtc.MimeTypeH264, videoClock, "video"); err != nil {
			return "", err
		}
		if st.out.sounds() {
			if v.audio, err = addTrack(pc, webrtc.MimeTypeOpus, audioClock, "audio"); err != nil {
				return "", err
			}
		}
		if err := take(pc, offer); err != nil {
			return "", err
		}
		text, err := answer(pc)
		if v.audio == nil {
			text = withoutSound(text)
		}
		return text, err
	}()
	if err != nil {
		_ = pc.Close() // nothing was sent over it
		return nil, "", err
	}
	return pc, text, nil
}

// addTrack adds a track, and reads what the viewer reports about it.
func addTrack(pc *webrtc.PeerConnection, mime string, rate uint32, id string) (*webrtc.TrackLocalStaticRTP, error) {
	t, err := webrtc.NewTrackLocalStaticRTP(webrtc.RTPCodecCapability{MimeType: mime, ClockRate: rate}, id, "livepeer")
	if err != nil {
		return nil, err
	}
	sender, err := pc.AddTrack(t)
	if err != nil {
		return nil, err
	}
	go func() { // ends with the connection; without it no lost packet is sent again
		for buf := make([]byte, 1500); ; {
			if _, _, err := sender.Read(buf); err != nil {
				return
			}
		}
	}()
	return t, nil
}

// withoutSound says of an answer's parts for sound that nothing is sent: the library says that something is.
func withoutSound(answer string) string {
	parts := strings.SplitAfter(answer, "\r\nm=")
	for i, p := range parts {
		if strings.HasPrefix(p, "audio ") {
			parts[i] = strings.Replace(p, "a=sendonly\r\n", "a=inactive\r\n", 1)
		}
	}
	return strings.Join(parts, "")
}

// sounds reports whether the output has sound that viewers can play.
func (o *output) sounds() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.hasAudio
}

func (s *Server) randomNumber() (uint32, error) {
	var b [4]byte
	if _, err := io.ReadFull(s.o.Rand, b[:]); err != nil {
		return 0, fault.Wrap(fault.Unexpected, "begin a time stamp", err)
	}
	return binary.BigEndian.Uint32(b[:]), nil
}
