package live

import (
	"net"
	"testing"
	"time"

	"github.com/pion/webrtc/v4"

	"github.com/tuttinode/tutti/core/telemetry"
)

// What passed over a connection is counted until the connection is over, also while it ends.
func TestFiguresOfAConnectionThatEnds(t *testing.T) {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	r, err := newRTC(conn, "", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	offer := publisherOffer(t)
	s := &Server{rtc: r, o: Options{Now: time.Now, Events: noEvents{}}}
	st := &stream{srv: s}
	st.ingested.track("video", videoClock, time.Now())
	for range 10 {
		in, _, err := s.accept(offer)
		if err != nil {
			t.Fatal(err)
		}
		started, done, over := make(chan struct{}), make(chan struct{}), make(chan struct{})
		go func() {
			defer close(over)
			var passed traffic
			passed.report(in.pc, noRecorder{})
			close(started)
			for open := true; open; {
				select {
				case <-done:
					open = false // and once more after the end
				default:
				}
				passed.report(in.pc, noRecorder{})
				st.measure(in.pc)
			}
		}()
		<-started
		if err := in.pc.Close(); err != nil {
			t.Error(err)
		}
		close(done)
		<-over
	}
	if st.ingested.known() == nil {
		t.Error("nothing was measured")
	}
}

// publisherOffer is the offer of a publisher of pictures.
func publisherOffer(t *testing.T) string {
	t.Helper()
	pc, err := webrtc.NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pc.Close() }() // it was never connected
	if _, err := pc.AddTransceiverFromKind(webrtc.RTPCodecTypeVideo, webrtc.RTPTransceiverInit{
		Direction: webrtc.RTPTransceiverDirectionSendonly}); err != nil {
		t.Fatal(err)
	}
	offer, err := pc.CreateOffer(nil)
	if err != nil {
		t.Fatal(err)
	}
	return offer.SDP
}

type noEvents struct{}

func (noEvents) Send(telemetry.EventKind, any) {}
