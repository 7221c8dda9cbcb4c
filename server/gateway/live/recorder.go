package live

import (
	"math/big"
	"time"

	"github.com/pion/webrtc/v4"
)

// Recorder counts what streams do; server/metrics implements it. Its methods must not block.
type Recorder interface {
	// Attempt: an orchestrator is asked to take a stream.
	Attempt()
	// FirstSegment is how long an orchestrator took from there to its first output.
	FirstSegment(d time.Duration)
	// Price is what a pixel of a stream that began costs, in wei; nil is free.
	Price(wei *big.Rat)
	// Transport is what passed between publishers and the gateway since the last call, in bytes.
	Transport(received, sent uint64)
}

type noRecorder struct{}

func (noRecorder) Attempt()                   {}
func (noRecorder) FirstSegment(time.Duration) {}
func (noRecorder) Price(*big.Rat)             {}
func (noRecorder) Transport(_, _ uint64)      {}

// statsOf are a connection's figures; none once it is closed, when the library removes what collects them.
func statsOf(pc *webrtc.PeerConnection) webrtc.StatsReport {
	if pc.ConnectionState() == webrtc.PeerConnectionStateClosed {
		return nil
	}
	return pc.GetStats()
}

// traffic is what passed over a publisher's connection so far.
type traffic struct{ received, sent uint64 }

// report counts what passed since the last report.
func (t *traffic) report(pc *webrtc.PeerConnection, to Recorder) {
	for _, one := range statsOf(pc) {
		s, ok := one.(webrtc.TransportStats)
		if !ok || s.BytesReceived < t.received || s.BytesSent < t.sent {
			continue
		}
		to.Transport(s.BytesReceived-t.received, s.BytesSent-t.sent)
		t.received, t.sent = s.BytesReceived, s.BytesSent
	}
}
