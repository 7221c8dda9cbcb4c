package core

import "time"

// Pixels counts pixels (width × height, summed over frames). Transcoding is
// priced per encoded pixel (docs/media.md).
type Pixels int64

// Frames counts video frames.
type Frames int64

// SegmentNumber is a segment's sequence number within its manifest.
type SegmentNumber int64

// ManifestID names a stream as the gateway knows it. It is free ASCII text on
// the wire and part of the gateway's signature over a segment.
type ManifestID string

// SessionID names one stream at one orchestrator: the session_id of the auth
// token. It is short, unique and safe in a URL path.
type SessionID string

// Limits that every node of the network applies to a segment.
const (
	// MaxSegmentBytes bounds a segment's body, in bytes.
	MaxSegmentBytes = 300_000_000
	// MaxSegmentDuration bounds a segment's playing time.
	MaxSegmentDuration = 300 * time.Second
	// DefaultSegmentDuration is assumed where a peer states none.
	DefaultSegmentDuration = 2 * time.Second
	// SessionIdle is how long a session lives without a segment.
	SessionIdle = 70 * time.Second
	// MinRenditionBytes is the size below which a rendition counts as missing.
	MinRenditionBytes = 25
)

// WorkDeadline returns how long a segment of the given playing time may take from
// its receipt to its result: four times its duration, at least eight seconds. It is
// the time after which the network's existing gateways stop waiting.
func WorkDeadline(duration time.Duration) time.Duration {
	return max(8*time.Second, 4*duration)
}
