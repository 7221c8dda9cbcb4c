package whipclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/pion/rtp"
	"github.com/pion/rtp/codecs"
	"github.com/pion/webrtc/v4"
)

const (
	// maxAnswer bounds what is read of an answer.
	maxAnswer = 1 << 20
	// packetSize bounds the payload of an RTP packet.
	packetSize = 1200
)

// ErrRefused is what a gateway answered in place of a connection.
var ErrRefused = errors.New("the gateway refused the connection")

// newPeer makes a connection of a client, which may be on the gateway's machine.
func newPeer() (*webrtc.PeerConnection, error) {
	settings := webrtc.SettingEngine{}
	settings.SetIncludeLoopbackCandidate(true)
	media := &webrtc.MediaEngine{}
	if err := media.RegisterDefaultCodecs(); err != nil {
		return nil, err
	}
	return webrtc.NewAPI(webrtc.WithSettingEngine(settings), webrtc.WithMediaEngine(media)).
		NewPeerConnection(webrtc.Configuration{})
}

// connect offers a connection to a WHIP or WHEP address, and returns the answer's header.
func connect(ctx context.Context, client *http.Client, pc *webrtc.PeerConnection, url string) (http.Header, error) {
	offer, err := pc.CreateOffer(nil)
	if err != nil {
		return nil, err
	}
	gathered := webrtc.GatheringCompletePromise(pc)
	if err := pc.SetLocalDescription(offer); err != nil {
		return nil, err
	}
	select {
	case <-gathered:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(pc.LocalDescription().SDP))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/sdp")
	res, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusCreated {
		return nil, fmt.Errorf("%w: %s: %.200s", ErrRefused, res.Status, text)
	}
	return res.Header, pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: string(text)})
}

// Publisher is a connection by WHIP with a picture and sound. Its methods are for one goroutine.
type Publisher struct {
	// PlaybackURL is where the result is, as the gateway says.
	PlaybackURL string

	pc           *webrtc.PeerConnection
	video, audio *webrtc.TrackLocalStaticRTP
	// pictures and sounds are the numbers of the last packets.
	pictures, sounds uint16
}

// Publish connects to a WHIP address.
func Publish(ctx context.Context, client *http.Client, url string) (*Publisher, error) {
	pc, err := newPeer()
	if err != nil {
		return nil, err
	}
	p := &Publisher{pc: pc}
	for _, t := range []struct {
		to       **webrtc.TrackLocalStaticRTP
		mime, id string
	}{{&p.video, webrtc.MimeTypeH264, "v"}, {&p.audio, webrtc.MimeTypeOpus, "a"}} {
		if *t.to, err = webrtc.NewTrackLocalStaticRTP(webrtc.RTPCodecCapability{MimeType: t.mime}, t.id, "s"); err == nil {
			_, err = pc.AddTrack(*t.to)
		}
		if err != nil {
			return nil, errors.Join(err, p.Close())
		}
	}
	header, err := connect(ctx, client, pc, url)
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	p.PlaybackURL = header.Get("Livepeer-Playback-URL")
	return p, nil
}

// Video sends a picture in Annex B form; at is its time in units of 90 kHz.
func (p *Publisher) Video(at uint32, annexB []byte) error {
	parts := (&codecs.H264Payloader{}).Payload(packetSize, annexB)
	for i, part := range parts {
		p.pictures++
		if err := p.video.WriteRTP(&rtp.Packet{Payload: part, Header: rtp.Header{Version: 2, SequenceNumber: p.pictures,
			Timestamp: at, Marker: i == len(parts)-1}}); err != nil {
			return err
		}
	}
	return nil
}

// Audio sends a packet of Opus; at is its time in units of 48 kHz.
func (p *Publisher) Audio(at uint32, packet []byte) error {
	p.sounds++
	return p.audio.WriteRTP(&rtp.Packet{Payload: packet, Header: rtp.Header{Version: 2, SequenceNumber: p.sounds,
		Timestamp: at, Marker: true}})
}

// Close ends the connection.
func (p *Publisher) Close() error { return p.pc.GracefulClose() }
