package verify

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// Video is what a file's first video stream holds.
type Video struct {
	// Codec is "h264" or "hevc", "" when the file has no video.
	Codec  string
	Frames core.Frames
	// Most is the largest number of frames that any decoder may show: it counts those
	// that a decoder may leave out, and both fields of what may be interlaced.
	Most core.Frames
	// Pixels is the sum of width × height over all frames.
	Pixels core.Pixels
	// Width and Height are of the smallest frame; Mixed says that others differ.
	Width, Height int
	Mixed         bool
}

// frame adds one.
func (v *Video) frame(width, height int) {
	v.Frames++
	v.Pixels += core.Pixels(width) * core.Pixels(height)
	v.Mixed = v.Mixed || v.Width != 0 && (width != v.Width || height != v.Height)
	if v.Width == 0 || width*height < v.Width*v.Height {
		v.Width, v.Height = width, height
	}
}

// units takes the NAL units of a video stream in order and counts its frames.
type units interface {
	// unit takes a NAL unit, of which the end may be cut off.
	unit(nal []byte)
	// begin says that a file's sample begins here.
	begin()
	video() Video
}

func newUnits(codec string) units {
	switch codec {
	case "h264":
		return &avc{}
	case "hevc":
		return &hevc{}
	}
	return nil
}

// Count reads a file. The error is the fault RenditionUnreadable: the file is neither
// MPEG-TS nor MP4, or its video neither H.264 nor HEVC.
func Count(data []byte) (Video, error) {
	switch {
	case isTS(data):
		return countTS(data)
	case IsMP4(data):
		return countMP4(data)
	}
	return Video{}, unreadable("it is neither MPEG-TS nor MP4")
}

func unreadable(why string) error { return fault.New(fault.RenditionUnreadable, "count frames", why) }
