package core

import (
	"context"
	"time"
)

// Transcoder turns one segment into its renditions. It is the port between the
// node's rules and whatever does the media work: a pool of local media workers,
// a remote transcoder, or libav in this process.
//
// Segments of one session are given one after another; different sessions run
// in parallel. Segments may come out of order, with gaps, or again.
//
// Transcode returns exactly one rendition per profile, in profile order, or an
// error; never part of them. The error is a *fault.Fault whose Wire text is
// what a peer receives. It may be called again for the same segment (idempotent).
// The job's Input stays the caller's: it is not changed, and not read after return.
//
// EndSession frees what the session holds; an unknown session is not an error.
type Transcoder interface {
	Transcode(ctx context.Context, job *TranscodeJob) (*TranscodeResult, error)
	EndSession(id SessionID)
}

// TranscodeJob is one segment and what is wanted of it.
type TranscodeJob struct {
	Session  SessionID
	Manifest ManifestID
	Number   SegmentNumber
	// Input is the whole segment, MPEG-TS or MP4.
	Input []byte
	// Duration is what the sender says it lasts; deadlines follow it, media
	// decisions do not.
	Duration time.Duration
	Profiles []Profile
	// Clip keeps only a part of the segment when not nil.
	Clip *Clip
	// Signature asks for an MPEG-7 video signature per rendition.
	Signature bool
	// Reinit says that the source changed: codec state of the session must go.
	Reinit bool
	// Effect changes the pictures; the renditions then have the source's size, up to EffectSide.
	Effect Effect
	// Origin is the orchestrator's address, or "offchain"; it goes into the
	// output's metadata.
	Origin string
	// Sender is the gateway that pays for it, zero off-chain. It is shown, and decides
	// nothing.
	Sender Address
	// Party is blamed for what the segment does to workers: the account
	// that signed for it, off-chain the network the request came from; "" is not known.
	Party string
	// Needs are the capabilities that the segment needs of its transcoder, a
	// bit string as core/capability.Set writes it. Nil needs nothing special.
	Needs []uint64
	// MinVersion is the oldest release of a remote transcoder that may have it; ""
	// is any.
	MinVersion string
}

// SessionRequest is what is known of a session before its first segment.
type SessionRequest struct {
	ID       SessionID
	Profiles []Profile
	// Party, Needs and MinVersion are as in TranscodeJob.
	Party      string
	Needs      []uint64
	MinVersion string
}

// Clip keeps the frames with From ≤ time ≤ To, relative to the segment's first
// frame. To 0 is an open end.
type Clip struct {
	From, To time.Duration
}

// TranscodeResult is what came out of one segment.
type TranscodeResult struct {
	Renditions []Rendition
	// DecodedFrames and DecodedPixels count what the video decoder delivered.
	DecodedFrames Frames
	DecodedPixels Pixels
	// MediaTime is the wall time spent in decoding, scaling, encoding and muxing.
	MediaTime time.Duration
	// SourceDuration is the playing time found in the media, 0 when unknown.
	SourceDuration time.Duration
	// Worker is the device that did the work, "cpu" or "gpu 0"; "" where it has no name.
	Worker string
}

// Rendition is one output file.
type Rendition struct {
	Data []byte
	// Frames handed to the encoder and their pixels at the encoder's real size.
	Frames Frames
	Pixels Pixels
	// Signature is the MPEG-7 video signature in binary form, when asked for.
	Signature []byte
}
