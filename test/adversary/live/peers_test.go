package live

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pion/rtcp"
	"github.com/pion/webrtc/v4"

	"github.com/tuttinode/tutti/test/livevideo"
)

// A viewer names thirty new sources in each of its reports, for each of which the gateway would keep a buffer: it loses
// its connection, the gateway's memory stays as it was, and other viewers go on.
func TestAViewerFillsNoMemory(t *testing.T) {
	t.Parallel()
	node, base := startGateway(t, livevideo.New(t))
	livevideo.Publish(t, base+"cam/whip?pipeline=noop")
	v := livevideo.Watch(t, base+"cam-out/whep")
	node.Wait("pictures", 20*time.Second, func() bool { return v.Count() > 5 })
	settings := webrtc.SettingEngine{}
	settings.SetIncludeLoopbackCandidate(true)
	pc, err := webrtc.NewAPI(webrtc.WithSettingEngine(settings)).NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pc.GracefulClose() }) // the gateway may have ended it
	if _, err := pc.AddTransceiverFromKind(webrtc.RTPCodecTypeVideo, webrtc.RTPTransceiverInit{
		Direction: webrtc.RTPTransceiverDirectionRecvonly}); err != nil {
		t.Fatal(err)
	}
	connect(t, pc, base+"cam-out/whep")
	node.Wait("the connection", 20*time.Second, func() bool {
		return pc.ConnectionState() == webrtc.PeerConnectionStateConnected
	})
	before, sent := resident(t, node.PID()), uint32(0)
	node.Wait("the end of the attack", 20*time.Second, func() bool {
		for range 100 {
			sent++
			bye := &rtcp.Goodbye{}
			for i := range uint32(30) {
				bye.Sources = append(bye.Sources, sent*30+i)
			}
			_ = pc.WriteRTCP([]rtcp.Packet{&rtcp.ReceiverReport{SSRC: 1}, bye}) // it may have ended
		}
		return sent > 20_000
	})
	if grown := resident(t, node.PID()) - before; grown > 128<<20 {
		t.Errorf("%d reports of a viewer made the gateway hold %d MB more", sent, grown>>20)
	}
	node.Wait("the connection's end", 20*time.Second, func() bool {
		return pc.ConnectionState() != webrtc.PeerConnectionStateConnected
	})
	n := v.Count()
	node.Wait("pictures of another viewer", 20*time.Second, func() bool { return v.Count() > n+20 })
}

// connect offers a connection to a WHIP or WHEP address.
func connect(t *testing.T, pc *webrtc.PeerConnection, url string) {
	t.Helper()
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
	if res.StatusCode != http.StatusCreated || !strings.HasPrefix(text, "v=0") {
		t.Fatal(res.Status, text)
	}
	if err := pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: text}); err != nil {
		t.Fatal(err)
	}
}
