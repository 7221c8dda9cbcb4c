// Package sniff reads from a segment what can be read without decoding: its
// container, codecs, picture size and whether it has any picture at all.
//
// It looks at headers only, a few kilobytes of a file, and takes everything it
// finds as a hint: what it cannot read stays unknown, and nothing it says is
// used to decode. server/gateway calls it for every pushed segment, to notice a
// source that changes without asking a media worker each time.
package sniff

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/gateway/verify/container"
)

// Info is what a segment's headers tell. Comparable: two segments of an
// unchanged source give equal values but for what is not there.
type Info struct {
	// Known says that the container was recognised, as Format. Of Matroska and WebM,
	// which are neither format, the codecs and the size alone are read.
	Known  bool
	Format core.Format
	// Video is "h264", "hevc", "vp8", "vp9", another name of the container's, or
	// "" when there is none. Audio likewise.
	Video, Audio string
	// Width, Height and PixelFormat (libav's name) are as far as known.
	Width, Height int
	PixelFormat   string
	// FPS is the frame rate the headers declare, 0 when they do not.
	FPS float64
	// Codecs is the RFC 6381 form of both codecs, "" unless both are known.
	Codecs string
	// Parameters are the video codec's own parameter bytes, to tell one
	// configuration from another.
	Parameters string
	// NoFrames says of an MPEG-TS segment that was looked through to its end that
	// video and sound are declared and there is not one picture. Nothing else may be
	// passed on without being decoded.
	NoFrames bool
	// NoVideo says why the segment certainly has no picture, Empty that it has no
	// sound either. Broken says why it certainly cannot be read. "" is not certain.
	NoVideo, Broken string
	Empty           bool
}

// Same reports whether two segments come from an unchanged source.
func (i Info) Same(o Info) bool {
	for _, one := range []*Info{&i, &o} {
		one.NoFrames, one.NoVideo, one.Broken, one.Empty = false, "", "", false
	}
	return i == o
}

// Segment reads a segment's headers. It never fails: what is not recognised
// gives the zero value.
func Segment(data []byte) Info {
	switch {
	case container.IsTS(data):
		return transportStream(data)
	case container.IsMP4(data):
		return movie(data)
	case isMatroska(data):
		return matroska(data)
	}
	return Info{}
}

// codecs joins the codecs of a file in the form of playlists. Unknown parts make
// the whole unknown, because players take it at its word.
func codecs(video, audio string, hasVideo, hasAudio bool) string {
	switch {
	case hasVideo && video == "" || hasAudio && audio == "":
		return ""
	case hasVideo && hasAudio:
		return video + "," + audio
	}
	return video + audio
}
