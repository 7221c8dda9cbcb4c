package core

import (
	"fmt"
	"time"
)

// Format is a container format for a segment or rendition.
type Format int

// The container formats of the protocol, numbered as on the wire.
const (
	FormatMPEGTS Format = 0
	FormatMP4    Format = 1
)

// Ext returns the file extension with its dot.
func (f Format) Ext() string {
	if f == FormatMP4 {
		return ".mp4"
	}
	return ".ts"
}

// MIME returns the media type of the format.
func (f Format) MIME() string {
	if f == FormatMP4 {
		return "video/mp4"
	}
	return "video/mp2t"
}

// H264Profile is the H.264 profile asked of the encoder.
type H264Profile int

// H.264 profiles, numbered as on the wire.
const (
	ProfileDefault         H264Profile = 0
	ProfileBaseline        H264Profile = 1
	ProfileMain            H264Profile = 2
	ProfileHigh            H264Profile = 3
	ProfileConstrainedHigh H264Profile = 4
)

// VideoCodec is a video codec that the protocol names.
type VideoCodec int

// Video codecs, numbered as on the wire.
const (
	CodecH264 VideoCodec = 0
	CodecHEVC VideoCodec = 1
	CodecVP8  VideoCodec = 2
	CodecVP9  VideoCodec = 3
)

// ChromaFormat is carried on the wire; encoders always produce 4:2:0.
type ChromaFormat int

// Chroma formats, numbered as on the wire.
const (
	Chroma420 ChromaFormat = 0
	Chroma422 ChromaFormat = 1
	Chroma444 ChromaFormat = 2
)

// Framerate is Num/Den frames per second. Num 0 keeps the source's frames and
// times ("passthrough"); Den 0 means 1.
type Framerate struct {
	Num, Den uint32
}

// Passthrough reports whether the source's frames and times are kept.
func (r Framerate) Passthrough() bool { return r.Num == 0 }

// Norm returns the rate with its denominator made explicit.
func (r Framerate) Norm() (num, den int64) {
	if r.Den == 0 {
		return int64(r.Num), 1
	}
	return int64(r.Num), int64(r.Den)
}

// GOP is the distance between key frames: 0 leaves it to the encoder, GOPIntra
// makes every frame a key frame, a positive value is an interval.
type GOP time.Duration

// GOPIntra asks for key frames only. On the wire it is -1.
const GOPIntra GOP = -1

// Profile describes one requested rendition.
type Profile struct {
	Name string
	// Width and Height are the requested box in pixels; the output keeps the
	// source's shape (see transcoder.OutputSize). One of them may be 0.
	Width, Height int
	// Bitrate in bits per second; 0 leaves rate control to the encoder.
	Bitrate int
	FPS     Framerate
	Format  Format
	Encoder VideoCodec
	Profile H264Profile
	GOP     GOP
	// Quality is a constant rate factor; 0 is off.
	Quality int
	// ColorDepth is bits minus 8. Carried, not applied.
	ColorDepth int
	Chroma     ChromaFormat
}

// Resolution returns the requested box as text, "1280x720".
func (p Profile) Resolution() string { return fmt.Sprintf("%dx%d", p.Width, p.Height) }

// DefaultName returns the name a profile without one gets. The prefix says where
// it was named: "custom" from JSON, "net" received, "ffmpeg" sent.
func (p Profile) DefaultName(prefix string) string {
	return fmt.Sprintf("%s_%dx%d_%d", prefix, p.Width, p.Height, p.Bitrate)
}
