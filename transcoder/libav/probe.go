package libav

import (
	"context"
	"time"

	"github.com/asticode/go-astiav"

	"github.com/tuttinode/tutti/transcoder/libav/mediafile"
)

// ProbeStatus says what a segment is good for.
type ProbeStatus int

// The outcomes of a probe, numbered as gateways know them.
const (
	ProbeFailed  ProbeStatus = -1
	ProbeOK      ProbeStatus = 0
	ProbeBypass  ProbeStatus = 1
	ProbeMissing ProbeStatus = 2
)

// Info is what a probe finds in a segment.
type Info struct {
	Status ProbeStatus
	// Container, codecs and the pixel format go by libav's names; empty when
	// there is none.
	Container, VideoCodec, AudioCodec, PixelFormat string
	Width, Height                                  int
	// FPS is in frames per second, 0 when unknown.
	FPS float64
	// Duration is cut to whole seconds: the header's, or that of the sound's packets
	// where they play longer; 0 where there is sound of unknown length.
	Duration time.Duration
	// AudioBitrate in bits per second, 0 when unknown.
	AudioBitrate int64
}

// Probe looks at a segment without decoding all of it. Like everything here it
// must run in a media worker. A segment that cannot be opened is a fault, and the
// status ProbeFailed.
func Probe(ctx context.Context, data []byte) (Info, error) {
	setUpProcess()
	if err := ctx.Err(); err != nil {
		return Info{Status: ProbeFailed}, failed("probe segment", err)
	}
	in, err := openInput(data)
	if err != nil {
		return Info{Status: ProbeFailed}, err
	}
	defer in.close()
	i := Info{Container: in.container()}
	if in.audio != nil {
		p := in.audio.CodecParameters()
		i.AudioCodec, i.AudioBitrate = p.CodecID().Name(), p.BitRate()
	}
	if in.video != nil {
		p := in.video.CodecParameters()
		i.VideoCodec, i.Width, i.Height = p.CodecID().Name(), p.Width(), p.Height()
		if p.PixelFormat() != astiav.PixelFormatNone {
			i.PixelFormat = p.PixelFormat().Name()
		}
		if r := in.frameRate(); r.Num() > 0 {
			i.FPS = r.Float64()
		}
	}
	i.Duration = probedDuration(ctx, in, i, data)
	switch {
	case in.audio == nil && in.video == nil:
		i.Status = ProbeMissing
	case in.audio != nil && in.video != nil && i.PixelFormat == "" && i.Height == 0:
		i.Status = ProbeBypass
	}
	return i, nil
}

// rawAudio are containers that state no duration of their own. Read-only.
var rawAudio = map[string]bool{"mp3": true, "wav": true, "aac": true}

// probedDuration returns what the header states, or what the packets come to where that is
// far more: work on sound is paid by its length. It reads the input to its end.
// Where there is sound that cannot be measured, or that others may read in another way, it is 0.
func probedDuration(ctx context.Context, in *input, i Info, data []byte) time.Duration {
	if in.hasSound() && !mediafile.OneReading(i.Container, data) {
		return 0
	}
	d := in.duration()
	if d == 0 && rawAudio[i.Container] && i.AudioBitrate > 0 {
		d = time.Duration(int64(len(data))*8/i.AudioBitrate) * time.Second
	}
	if d > 0 && in.hasSound() {
		played, ok := soundLength(ctx, in, data)
		switch {
		case !ok:
			return 0
		case played > maxPlayingTime(d, i.Container):
			d = played
		}
	}
	return d.Truncate(time.Second)
}
