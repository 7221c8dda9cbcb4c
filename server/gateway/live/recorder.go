package live

import (
	"math/big"
	"time"

	"github.com/pion/webrtc/v4"
)

// Recorder counts what streams do; server/metrics implements it. Its methods must not block.
type Recorder interface {
	// Attempt: a request to take a stream goes to an orchestrator.
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

// traffic is what passed over a publisher's connection so far.
type traffic struct{ received, sent uint64 }

// report counts what passed since the last report.
func (t *traffic) report(pc *webrtc.PeerConnection, to Recorder) {
	s := transportOf(pc).Stats()
	if s.BytesReceived < t.received || s.BytesSent < t.sent {
		return
	}
	to.Transport(s.BytesReceived-t.received, s.BytesSent-t.sent)
	t.received, t.sent = s.BytesReceived, s.BytesSent
}

// transportOf is the transport that all media of a connection share. Its figures may be read while the connection
// ends, which those of the connection itself may not, and cost less.
func transportOf(pc *webrtc.PeerConnection) *webrtc.ICETransport {
	return pc.SCTP().Transport().ICETransport()
}
