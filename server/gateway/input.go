package gateway

import (
	"context"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/sniff"
)

// MediaProbe reads a segment with libav, in a process that may. It is asked when
// a segment's headers do not tell enough and differ from those of the segment
// before. An error of class BadRequest refuses the segment; any other is our own
// trouble, and the segment goes on with what is known.
type MediaProbe interface {
	Probe(ctx context.Context, segment []byte) (MediaInfo, error)
}

// MediaInfo is what a probe found. Empty fields are unknown.
type MediaInfo struct {
	// VideoCodec, AudioCodec and PixelFormat are libav's names, "h264", "aac",
	// "yuv420p"; "" means that there is no such stream.
	VideoCodec, AudioCodec, PixelFormat string
	// Width and Height in pixels, FPS in frames per second.
	Width, Height int
	FPS           float64
	// NoFrames: a video stream is declared and has no picture.
	NoFrames bool
}

// videoCodecs are the codecs that the network's jobs can name.
var videoCodecs = map[string]core.VideoCodec{
	"h264": core.CodecH264, "hevc": core.CodecHEVC, "vp8": core.CodecVP8, "vp9": core.CodecVP9,
}

// input is what is known of a segment's media.
type input struct {
	MediaInfo
	// Codecs is the RFC 6381 form, "" when unknown.
	Codecs string
	// headers are compared to notice a change.
	headers sniff.Info
}

// changed reports whether the source changed between two segments in a way that
// the network's orchestrators must be told.
func (i *input) changed(before *input) bool {
	if i.VideoCodec == "" && i.AudioCodec == "" || before.VideoCodec == "" && before.AudioCodec == "" {
		return false // nothing known, nothing to compare
	}
	return i.VideoCodec != before.VideoCodec || i.AudioCodec != before.AudioCodec ||
		i.PixelFormat != before.PixelFormat || i.Width != before.Width || i.Height != before.Height
}

// examine finds out what a segment is. before is the last segment's input, nil
// for the first. Errors are faults InputCodecUnsupported, InputUnreadable and
// the probe's own of class BadRequest.
func (g *Gateway) examine(ctx context.Context, data []byte, before *input) (*input, error) {
	h := sniff.Segment(data)
	in := &input{headers: h, Codecs: h.Codecs, MediaInfo: MediaInfo{
		VideoCodec: h.Video, AudioCodec: h.Audio, PixelFormat: h.PixelFormat,
		Width: h.Width, Height: h.Height, FPS: h.FPS, NoFrames: h.NoFrames,
	}}
	switch {
	case h.NoFrames, h.Known && h.Width > 0 && h.PixelFormat != "":
	case before != nil && h.Known && h.Same(before.headers):
		in.MediaInfo, in.Codecs = before.MediaInfo, before.Codecs
		in.NoFrames = false
	case g.opt.Probe != nil:
		info, err := g.opt.Probe.Probe(ctx, data)
		switch {
		case err == nil:
			in.MediaInfo = info
		case fault.ClassOf(err) == fault.BadRequest:
			return nil, err
		default:
			g.log.Debug("probe failed, going on without", fault.Attr(err))
		}
	}
	if _, ok := videoCodecs[in.VideoCodec]; !ok && in.VideoCodec != "" {
		return nil, fault.New(fault.InputCodecUnsupported, "examine segment", "video codec "+in.VideoCodec)
	}
	return in, nil
}
