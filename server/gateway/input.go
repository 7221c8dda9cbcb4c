package gateway

import (
	"context"
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/verify"
)

// MediaProbe reads a segment with libav in a separate process. It is called when a segment's
// headers are not enough and differ from those of the previous segment. An error of class
// BadRequest refuses the segment; any other is a problem of this node, and the segment continues
// with what is known.
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
}

// videoCodecs are the codecs that the network's jobs can name. Read-only.
var videoCodecs = map[string]core.VideoCodec{
	"h264": core.CodecH264, "hevc": core.CodecHEVC, "vp8": core.CodecVP8, "vp9": core.CodecVP9,
}

// input is what is known of a segment's media.
type input struct {
	MediaInfo
	// NoFrames: the segment declares video and audio, and has no frame. Only its own bytes decide
	// that: what a probe cannot read is not missing.
	NoFrames bool
	// Codecs is the RFC 6381 form, "" when unknown.
	Codecs string
	// headers are compared to notice a change.
	headers verify.SniffedInfo
}

// noFrame reports whether the segment is known to have no frame, so that it does not describe
// the source's video.
func (i *input) noFrame() bool { return i.NoFrames || i.headers.NoVideo != "" }

// changed reports whether the source changed between two segments in a way that the network's
// orchestrators must be notified.
func (i *input) changed(before *input) bool {
	if i.VideoCodec == "" && i.AudioCodec == "" || before.VideoCodec == "" && before.AudioCodec == "" {
		return false // nothing known, nothing to compare
	}
	return i.VideoCodec != before.VideoCodec || i.AudioCodec != before.AudioCodec ||
		i.PixelFormat != before.PixelFormat || i.Width != before.Width || i.Height != before.Height
}

// examine determines what a segment is. before is the previous segment's input, nil for the first;
// format is that of its renditions. Errors are the faults InputNoVideo, InputTooLong,
// InputAudioUnsupported, InputCodecUnsupported, InputUnreadable and the probe's own of class
// BadRequest.
func (g *Gateway) examine(ctx context.Context, data []byte, format core.Format, before *input) (*input, error) {
	h := verify.SniffSegment(data)
	if h.NoFrames && format != h.Format {
		// It would be delivered as a file of the other container.
		h.NoFrames, h.NoVideo, h.Empty = false, "there is no frame", true
	}
	if err := refuseHeaders(h, data, before); err != nil {
		return nil, err
	}
	in := &input{headers: h, Codecs: h.Codecs, NoFrames: h.NoFrames, MediaInfo: MediaInfo{
		VideoCodec: h.Video, AudioCodec: h.Audio, PixelFormat: h.PixelFormat,
		Width: h.Width, Height: h.Height, FPS: h.FPS,
	}}
	switch {
	case h.NoFrames, h.Known && h.Width > 0 && h.PixelFormat != "":
	case before != nil && h.Known && h.Same(before.headers):
		in.MediaInfo, in.Codecs = before.MediaInfo, before.Codecs
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
	return in, refuseCodecs(in, format)
}

// refuseHeaders refuses what no orchestrator could transcode, as far as the segment's headers are
// conclusive. A stream that has begun may have a segment without video.
func refuseHeaders(h verify.SniffedInfo, data []byte, before *input) error {
	const op = "examine segment"
	if h.Broken != "" {
		return fault.New(fault.InputUnreadable, op, h.Broken)
	}
	if begun := before != nil && !before.NoFrames; h.NoVideo != "" && (h.Empty || !begun) {
		return fault.New(fault.InputNoVideo, op, "no video: "+h.NoVideo)
	}
	if d := verify.Plays(data); d > core.MaxSegmentDuration {
		return fault.New(fault.InputTooLong, op, fmt.Sprintf("duration over %.0f s: the video plays for %.0f s",
			core.MaxSegmentDuration.Seconds(), d.Seconds()))
	}
	return nil
}

// refuseCodecs refuses codecs that the network's jobs cannot name, and audio that a rendition
// cannot carry, since audio is copied.
func refuseCodecs(in *input, format core.Format) error {
	const op = "examine segment"
	if _, ok := videoCodecs[in.VideoCodec]; !ok && in.VideoCodec != "" {
		return fault.New(fault.InputCodecUnsupported, op, "video codec "+in.VideoCodec)
	}
	if in.AudioCodec != "" && !in.NoFrames && !format.CarriesAudio(in.AudioCodec) {
		return fault.New(fault.InputAudioUnsupported, op,
			fmt.Sprintf("audio codec %s cannot be carried in %s", in.AudioCodec, format))
	}
	return nil
}
