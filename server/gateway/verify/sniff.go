package verify

import (
	"github.com/tuttinode/tutti/core"
)

// SniffedInfo is what a segment's headers say. Comparable: segments of an unchanged source give equal
// values, except for missing streams.
type SniffedInfo struct {
	// Known says that the container was recognized, as Format. Of Matroska and WebM,
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
	// NoFrames: the MPEG-TS segment was searched to its end, declares video and audio and has no
	// frame. Only such a segment may be passed on without being decoded.
	NoFrames bool
	// NoVideo is why the segment certainly has no frame, Empty that it has no audio either.
	// Broken is why it certainly cannot be read. "" is not certain.
	NoVideo, Broken string
	Empty           bool
}

// Same reports whether two segments come from an unchanged source.
func (i SniffedInfo) Same(o SniffedInfo) bool {
	for _, one := range []*SniffedInfo{&i, &o} {
		one.NoFrames, one.NoVideo, one.Broken, one.Empty = false, "", "", false
	}
	return i == o
}

// SniffSegment reads a segment's headers. It never fails: what is not recognized
// gives the zero value.
func SniffSegment(data []byte) SniffedInfo {
	switch {
	case isTS(data):
		return transportStream(data)
	case IsMP4(data):
		return movie(data)
	case isMatroska(data):
		return matroska(data)
	}
	return SniffedInfo{}
}

// codecs joins the codecs of a file for playlists. With an unknown part the whole is unknown,
// because players rely on it.
func codecs(video, audio string, hasVideo, hasAudio bool) string {
	switch {
	case hasVideo && video == "" || hasAudio && audio == "":
		return ""
	case hasVideo && hasAudio:
		return video + "," + audio
	}
	return video + audio
}
