package live_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pion/rtcp"
	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4"

	"github.com/tuttinode/tutti/test/livevideo"
)

// anySource is a track of which each packet can be of another source.
type anySource struct {
	to atomic.Pointer[webrtc.TrackLocalWriter]
}

func (*anySource) ID() string                { return "v" }
func (*anySource) RID() string               { return "" }
func (*anySource) StreamID() string          { return "s" }
func (*anySource) Kind() webrtc.RTPCodecType { return webrtc.RTPCodecTypeVideo }

func (a *anySource) Bind(c webrtc.TrackLocalContext) (webrtc.RTPCodecParameters, error) {
	to := c.WriteStream()
	a.to.Store(&to)
	for _, codec := range c.CodecParameters() {
		if strings.EqualFold(codec.MimeType, webrtc.MimeTypeH264) {
			return codec, nil
		}
	}
	return webrtc.RTPCodecParameters{}, webrtc.ErrUnsupportedCodec
}

func (*anySource) Unbind(webrtc.TrackLocalContext) error { return nil }

// send sends a packet of a source.
func (a *anySource) send(source uint32) error {
	to := a.to.Load()
	if to == nil {
		return nil
	}
	_, err := (*to).WriteRTP(&rtp.Header{Version: 2, PayloadType: 102, SSRC: source, SequenceNumber: 1}, []byte{0x41, 1})
	return err
}

// attacker is a peer by WHIP or WHEP.
type attacker struct {
	*webrtc.PeerConnection
	track anySource
	state atomic.Int32
}

// newAttacker makes a peer that is connected; prepare may add to its offer.
func newAttacker(t *testing.T, url string, prepare func(*webrtc.PeerConnection)) *attacker {
	t.Helper()
	settings := webrtc.SettingEngine{}
	settings.SetIncludeLoopbackCandidate(true)
	media := &webrtc.MediaEngine{}
	if err := media.RegisterDefaultCodecs(); err != nil {
		t.Fatal(err)
	}
	pc, err := webrtc.NewAPI(webrtc.WithSettingEngine(settings), webrtc.WithMediaEngine(media)).
		NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		t.Fatal(err)
	}
	a := &attacker{PeerConnection: pc}
	t.Cleanup(func() { _ = pc.GracefulClose() }) // the gateway may have ended it
	pc.OnConnectionStateChange(func(c webrtc.PeerConnectionState) { a.state.Store(int32(c)) })
	if _, err := pc.AddTrack(&a.track); err != nil {
		t.Fatal(err)
	}
	prepare(pc)
	offer, err := pc.CreateOffer(nil)
	if err != nil {
		t.Fatal(err)
	}
	gathered := webrtc.GatheringCompletePromise(pc)
	if err := pc.SetLocalDescription(offer); err != nil {
		t.Fatal(err)
	}
	<-gathered
	res, text := livevideo.Do(t, "POST", url, "application/sdp", pc.LocalDescription().SDP)
	if res.StatusCode != http.StatusCreated {
		t.Fatal(res.Status, text)
	}
	if err := pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: text}); err != nil {
		t.Fatal(err)
	}
	until(t, "connection", func() bool { return a.is(webrtc.PeerConnectionStateConnected) })
	return a
}

func (a *attacker) is(c webrtc.PeerConnectionState) bool { return a.state.Load() == int32(c) }

// A peer whose packets name ever new sources, hundreds in one, for each of which the gateway would keep a buffer, loses
// its connection. Others go on.
func TestAPeerNamesFewSources(t *testing.T) {
	g := newGateway(t, nil, livevideo.New(t))
	livevideo.Publish(t, g.url+"cam/whip?pipeline=noop")
	v := livevideo.Watch(t, g.url+"cam-out/whep")
	until(t, "pictures", func() bool { return v.Count() > 5 })
	reports := func(a *attacker, n uint32) error {
		bye := &rtcp.Goodbye{}
		for i := range uint32(31) {
			bye.Sources = append(bye.Sources, n*31+i)
		}
		return a.WriteRTCP([]rtcp.Packet{&rtcp.ReceiverReport{SSRC: 1}, bye})
	}
	media := func(a *attacker, n uint32) error { return a.track.send(1000 + n) }
	for _, kind := range []string{"cam-out/whep", "other/whip?pipeline=noop"} {
		for name, attack := range map[string]func(*attacker, uint32) error{"reports": reports, "media": media} {
			a := newAttacker(t, g.url+kind, func(*webrtc.PeerConnection) {})
			sent := uint32(0)
			until(t, fmt.Sprintf("end of a connection to %s with %s", kind, name), func() bool {
				for range 20 {
					sent++
					_ = attack(a, sent) // the connection may have ended
				}
				return !a.is(webrtc.PeerConnectionStateConnected)
			})
			if sent > 20000 {
				t.Errorf("%s, %s: %d packets were taken", kind, name, sent)
			}
		}
	}
	n := v.Count()
	until(t, "pictures of another viewer", func() bool { return v.Count() > n+20 })
}

// A peer opens no data channels, of which it could have ten thousands with a buffer for each; its media go on.
func TestNoDataChannels(t *testing.T) {
	g := newGateway(t, nil, livevideo.New(t))
	livevideo.Publish(t, g.url+"cam/whip?pipeline=noop")
	var opened, packets atomic.Int32
	a := newAttacker(t, g.url+"cam-out/whep", func(pc *webrtc.PeerConnection) {
		for i := range 20 {
			c, err := pc.CreateDataChannel(fmt.Sprint(i), nil)
			if err != nil {
				t.Fatal(err)
			}
			c.OnOpen(func() { opened.Add(1) })
		}
		pc.OnTrack(func(track *webrtc.TrackRemote, _ *webrtc.RTPReceiver) {
			for {
				if _, _, err := track.ReadRTP(); err != nil {
					return
				}
				packets.Add(1)
			}
		})
	})
	until(t, "pictures", func() bool { return packets.Load() > 100 })
	if n := opened.Load(); n > 0 || a.SCTP().State() == webrtc.SCTPTransportStateConnected {
		t.Error(n, "data channels, ", a.SCTP().State())
	}
}

// An offer whose name or password would make each check of it a large packet is refused.
func TestLongCredentialsAreRefused(t *testing.T) {
	g := newGateway(t, nil, livevideo.New(t))
	long := strings.Repeat("x", 300)
	for name, o := range map[string]string{
		"name":     strings.Replace(offer, "a=ice-ufrag:abcd", "a=ice-ufrag:"+long, 1),
		"password": strings.Replace(offer, "a=ice-pwd:", "a=ice-pwd:"+long, 1),
		"session":  strings.Replace(offer, "a=group", "a=ice-ufrag:"+long+"\r\na=group", 1),
	} {
		res, text := livevideo.Do(t, "POST", g.url+"cam/whip?pipeline=noop", "application/sdp", o)
		if res.StatusCode != http.StatusBadRequest || !strings.Contains(text, "too long") {
			t.Error(name, res.Status, text)
		}
	}
}

// Offers with more media, sources, formats or kinds of feedback than anyone needs are refused: of each time that an
// offer lists a format the library would keep a copy of all of its feedback, of 60 KB in all more than a gigabyte.
func TestOffersOfManyMedia(t *testing.T) {
	g := newGateway(t, nil, livevideo.New(t))
	one := offer[strings.Index(offer, "m=video"):]
	for name, o := range map[string]string{
		"media":   offer + strings.Repeat(one, 40),
		"sources": offer + strings.Repeat("a=ssrc:7 cname:x\r\n", 1000),
		"layers":  offer + strings.Repeat("a=rid:7 send\r\n", 1000),
		"formats": strings.Replace(offer, "SAVPF 102", "SAVPF"+strings.Repeat(" 102", 2000), 1),
		"feedback": strings.Replace(offer, "SAVPF 102", "SAVPF"+strings.Repeat(" 102", 100), 1) +
			strings.Repeat("a=rtcp-fb:102 x\r\n", 1000),
	} {
		res, text := livevideo.Do(t, "POST", g.url+"cam/whip?pipeline=noop", "application/sdp", o)
		if res.StatusCode != http.StatusBadRequest || !strings.Contains(text, "too many media, sources") {
			t.Error(name, res.Status, text)
		}
	}
}
