package libav

import (
	"github.com/asticode/go-astiav"

	"github.com/tuttinode/tutti/core/fault"
)

// scaler turns decoded frames into frames for one encoder: of its size, 8-bit
// 4:2:0. It rebuilds itself when the source's frames change, and returns the
// source's frame itself when there is nothing to do.
type scaler struct {
	width, height int
	// threads for one frame; renditions that run concurrently need only one.
	threads int

	sws  *sws
	srcW int
	srcH int
	srcF astiav.PixelFormat
	out  *astiav.Frame
}

// scale returns the frame to encode. It is valid until the next call, and the
// caller may change its fields; src stays the caller's.
func (s *scaler) scale(src *astiav.Frame) (*astiav.Frame, error) {
	const op = "scale rendition"
	w, h, format := src.Width(), src.Height(), src.PixelFormat()
	if w == s.width && h == s.height && is420(format) {
		src.SetPixelFormat(astiav.PixelFormatYuv420P)
		return src, nil
	}
	if s.sws == nil || w != s.srcW || h != s.srcH || format != s.srcF {
		s.release()
		if s.sws = newSws(src, s.width, s.height, s.threads); s.sws == nil {
			return nil, fault.New(fault.FiltergraphFailed, op, "no scaler for this pixel format or size")
		}
		s.srcW, s.srcH, s.srcF = w, h, format
	}
	if err := s.buffer(); err != nil {
		return nil, failed(op, err)
	}
	if err := s.sws.scale(src, s.out); err != nil {
		return nil, failed(op, err)
	}
	return s.out, nil
}

// buffer makes out a frame that may be written. Encoders copy what they are
// given, so one frame serves a whole segment unless a filter still holds it.
func (s *scaler) buffer() error {
	if s.out == nil {
		if s.out = astiav.AllocFrame(); s.out == nil {
			return errENOMEM
		}
	} else if s.out.IsWritable() {
		return nil
	}
	s.out.Unref()
	s.out.SetWidth(s.width)
	s.out.SetHeight(s.height)
	s.out.SetPixelFormat(astiav.PixelFormatYuv420P)
	return s.out.AllocBuffer(0)
}

func (s *scaler) release() {
	if s.sws != nil {
		s.sws.free()
		s.sws = nil
	}
}

func (s *scaler) close() {
	s.release()
	if s.out != nil {
		s.out.Free()
		s.out = nil
	}
}
