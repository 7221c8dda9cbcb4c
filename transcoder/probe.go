package transcoder

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
)

// ProbeStatus says what a segment is good for.
type ProbeStatus int

// The outcomes of a probe, numbered as gateways know them.
const (
	ProbeFailed  ProbeStatus = -1
	ProbeOK      ProbeStatus = 0
	ProbeBypass  ProbeStatus = 1 // video is declared, but there is no frame
	ProbeMissing ProbeStatus = 2 // neither audio nor video
)

// MediaInfo is what a look at a segment finds. Names are libav's, empty where
// there is no such thing.
type MediaInfo struct {
	Status                                         ProbeStatus
	Container, VideoCodec, AudioCodec, PixelFormat string
	Width, Height                                  int
	// FPS is in frames per second, 0 when unknown.
	FPS float64
	// Duration is cut to whole seconds.
	Duration time.Duration
	// AudioBitrate in bits per second, 0 when unknown.
	AudioBitrate int64
}

// Prober looks at media. What it is given is hostile, so it belongs in a media
// worker, as engines do; engines implement it besides their port.
type Prober interface {
	Probe(ctx context.Context, segment []byte) (MediaInfo, error)
}

// SoundConverter makes files of sound of other files of sound. What it is given is hostile, so it
// belongs in a media worker. A file longer than limit bytes is RenditionTooLarge.
type SoundConverter interface {
	ConvertSound(ctx context.Context, sound []byte, to core.SoundFormat, limit int64) ([]byte, error)
}
