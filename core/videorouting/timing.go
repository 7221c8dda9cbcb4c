package videorouting

import (
	"time"

	"github.com/tuttinode/tutti/core"
)

// Times of the network that do not depend on the segment.
const (
	// DialTimeout bounds TCP and TLS together, for bulk connections.
	DialTimeout = 2 * time.Second
	// ConnectTimeout bounds a new gRPC connection.
	ConnectTimeout = 3 * time.Second
	// RefreshTimeout bounds asking an orchestrator for a new token, and telling
	// it that a session ended.
	RefreshTimeout = 2500 * time.Millisecond
	// DownloadTimeout bounds the download of one rendition.
	DownloadTimeout = 4 * time.Second
	// RefreshBefore is how long before its expiry a token is renewed.
	RefreshBefore = 3 * time.Minute
	// StreamIdle is how long a stream lives without a segment.
	StreamIdle = 60 * time.Second
)

// minAccept and minScoreBase are the network's floors for short segments.
const (
	minAccept    = 2 * time.Second
	minScoreBase = 1500 * time.Millisecond
)

// maxMultiplier bounds what a client may ask for with timeoutMultiplier.
const maxMultiplier = 10

// Timing is how long one segment may take.
type Timing struct {
	// Accept bounds one attempt's upload: until the orchestrator has the segment
	// and answers with a status.
	Accept time.Duration
	// Attempt bounds one attempt as a whole, without the downloads.
	Attempt time.Duration
	// Segment bounds all attempts together. It is enough for one that hangs to its end and another
	// that succeeds.
	Segment time.Duration
}

// TimingOf returns the times for a segment of the given playing time. multiplier stretches them as
// the client asks; 0 means 1, more than 10 means 10.
func TimingOf(duration time.Duration, multiplier int) Timing {
	m := time.Duration(min(maxMultiplier, max(1, multiplier)))
	attempt := core.WorkDeadline(duration) * m
	return Timing{
		Accept:  max(minAccept, duration/2) * m,
		Attempt: attempt,
		Segment: 2*attempt + DownloadTimeout,
	}
}

// Score returns an attempt's round trip divided by the segment's playing time: up to 1 the orchestrator
// keeps pace. Playing times under 1.5 s count as 1.5 s.
func Score(roundTrip, duration time.Duration) float64 {
	return float64(roundTrip) / float64(max(minScoreBase, duration))
}

// KeepScore is the highest score with which a stream keeps its orchestrator.
const KeepScore = 1.0

// behindScore is the score of a session whose orchestrator had no time for a segment.
const behindScore = 2 * KeepScore
