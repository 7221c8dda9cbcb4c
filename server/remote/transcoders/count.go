package transcoders

import (
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/verify"
)

// Bounds for renditions whose frames cannot be counted: the frame rate, and the playing
// time relative to the one that the client stated.
const (
	maxFrameRate   = 120
	durationFactor = 3
)

// counted are the codecs whose frames can be counted without decoding them.
func counted(codec core.VideoCodec) bool { return codec == core.CodecH264 || codec == core.CodecHEVC }

// checkRendition compares a transcoder's pixel count with the rendition. Pixels are paid
// for, and gateways count them too and avoid a node with wrong counts. uncounted is called
// when only a bound can be checked.
func (p *parser) checkRendition(i int) error {
	out, want := &p.out[i], &p.job.Profiles[i]
	if len(out.Data) < core.MinRenditionBytes {
		return fmt.Errorf("%w %d: %d bytes", errRendition, i, len(out.Data))
	}
	video, err := verify.Count(out.Data)
	switch {
	case err != nil && counted(want.Encoder):
		return fmt.Errorf("%w %d: %s", errRendition, i, fault.Wire(err))
	case err != nil:
		if p.uncounted != nil {
			p.uncounted(err)
		}
		if most := mostPixels(p.job, want); out.Pixels <= 0 || out.Pixels > most {
			return fmt.Errorf("%w %d: %d pixels reported, where there are %d at most", errRendition, i, out.Pixels, most)
		}
	case video.Pixels != out.Pixels:
		return fmt.Errorf("%w %d: %d pixels reported, %d found in %d frames", errRendition, i, out.Pixels,
			video.Pixels, video.Frames)
	}
	return nil
}

// mostPixels returns an upper bound of a segment's pixels.
func mostPixels(job *core.TranscodeJob, p *core.Profile) core.Pixels {
	seconds := int64(durationFactor*max(job.Duration, core.DefaultSegmentDuration).Seconds()) + 1
	rate := int64(maxFrameRate)
	if num, den := p.FPS.Norm(); !p.FPS.Passthrough() && den > 0 {
		rate = max(rate, int64(num)/int64(den)+1)
	}
	side := core.Pixels(max(p.Width, p.Height, 1) + 2) // it may be turned
	return side * side * core.Pixels(seconds*rate)
}
