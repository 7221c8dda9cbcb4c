package live

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/pion/interceptor"
	"github.com/pion/logging"
	"github.com/pion/rtcp"
	"github.com/pion/rtp"
)

// sentAgain has a second of reports of lost packets answered, one every so often, and returns the packets and the bytes
// that are sent again.
func sentAgain(t *testing.T, lost []rtcp.NackPair, every time.Duration) (packets, bytes int64) {
	t.Helper()
	media, err := mediaEngine()
	if err != nil {
		t.Fatal(err)
	}
	registry, err := interceptors(media, logging.NewDefaultLoggerFactory(), 0)
	if err != nil {
		t.Fatal(err)
	}
	chain, err := registry.Build("viewer")
	if err != nil {
		t.Fatal(err)
	}
	sent := make(chan int, 1<<20)
	video := chain.BindLocalStream(&interceptor.StreamInfo{SSRC: 1, ClockRate: videoClock,
		RTCPFeedback: []interceptor.RTCPFeedback{{Type: "nack"}}},
		interceptor.RTPWriterFunc(func(_ *rtp.Header, p []byte, _ interceptor.Attributes) (int, error) {
			sent <- len(p)
			return len(p), nil
		}))
	for n := range uint16(1024) {
		h := &rtp.Header{Version: 2, SSRC: 1, SequenceNumber: n}
		if _, err := video.Write(h, make([]byte, packetSize), nil); err != nil {
			t.Fatal(err)
		}
		<-sent
	}
	report, err := (&rtcp.TransportLayerNack{MediaSSRC: 1, Nacks: lost}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	reports := chain.BindRTCPReader(interceptor.RTCPReaderFunc(
		func(b []byte, a interceptor.Attributes) (int, interceptor.Attributes, error) {
			return copy(b, report), a, nil
		}))
	for range time.Second / every {
		if _, _, err := reports.Read(make([]byte, 1500), nil); err != nil {
			t.Fatal(err)
		}
		<-time.After(every)
	}
	synctest.Wait()
	for ; len(sent) > 0; packets++ {
		bytes += int64(<-sent)
	}
	return packets, bytes
}

// TestAViewersReportsAreBounded: a viewer that says that it lost all packets, again and again, has little sent again,
// and one that did lose some has them all.
func TestAViewersReportsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var all []rtcp.NackPair
		for n := uint16(0); n < 1024; n += 17 {
			all = append(all, rtcp.NackPair{PacketID: n, LostPackets: 0xffff})
		}
		if packets, bytes := sentAgain(t, all, 6*time.Millisecond); bytes*8 > 2*maxResends {
			t.Errorf("%d packets, %d MB, are sent again in a second for %d bytes of reports", packets, bytes>>20,
				167*4*len(all))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		lost := []rtcp.NackPair{{PacketID: 100, LostPackets: 0xffff}, {PacketID: 300, LostPackets: 0xff}}
		if packets, _ := sentAgain(t, lost, time.Second); packets != 17+9 {
			t.Errorf("%d packets are sent again of 26 that were lost", packets)
		}
	})
}
