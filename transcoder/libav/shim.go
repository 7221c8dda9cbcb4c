package libav

//#cgo pkg-config: libavcodec libavformat libavfilter libavutil libswscale
//#include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/asticode/go-astiav"
)

// frameInfo is what the engine wants to know of a decoded frame, read in one call.
type frameInfo struct {
	pts, guess, length int64
	width, height      int
	format             astiav.PixelFormat
	key, corrupt       bool
	// cut says that the shown picture begins right of the frame's left side or below its top.
	cut   bool
	color color
	sar   astiav.Rational
}

// color are the tags that say how samples map to light.
type color struct{ codedRange, primaries, transfer, space, chroma int }

func infoOf(f *astiav.Frame) frameInfo {
	var c C.TuttiFrameInfo
	C.tutti_frame_info(frameC(f), &c)
	return frameInfo{
		pts: int64(c.pts), guess: int64(c.best_effort), length: int64(c.duration),
		width: int(c.width), height: int(c.height),
		format: astiav.PixelFormat(c.format),
		key:    c.key != 0, corrupt: c.corrupt != 0, cut: c.cut != 0,
		color: color{int(c._range), int(c.primaries), int(c.transfer), int(c.space), int(c.chroma)},
		sar:   astiav.NewRational(int(c.sar_num), int(c.sar_den)),
	}
}

// prepare gives a frame its times in the encoder's base and asks for a key frame
// or leaves the choice to the encoder.
func prepare(f *astiav.Frame, pts, length int64, key bool) {
	kind := C.int(astiav.PictureTypeNone)
	if key {
		kind = C.int(astiav.PictureTypeI)
	}
	C.tutti_frame_prepare(frameC(f), C.int64_t(pts), C.int64_t(length), kind)
}

// stripRepeated removes captions and the like before a frame is shown again.
func stripRepeated(f *astiav.Frame) { C.tutti_frame_strip(frameC(f)) }

func is420(format astiav.PixelFormat) bool { return C.tutti_is_yuv420p(C.int(format)) != 0 }

// reorderDepth returns how many frames an opened decoder holds back.
func reorderDepth(c *astiav.CodecContext) int {
	return int(C.tutti_reorder((*C.AVCodecContext)(c.UnsafePointer())))
}

// captionBytes returns the amount of caption data attached to a frame.
func captionBytes(f *astiav.Frame) int { return int(C.tutti_captions(frameC(f))) }

// usualChannels gives sound without named channels the usual ones.
func usualChannels(f *astiav.Frame) { C.tutti_usual_channels(frameC(f)) }

// clipSamples brings samples that are no numbers, or beyond full scale, into the range that encoders expect.
func clipSamples(f *astiav.Frame) error {
	if C.tutti_clip_samples(frameC(f)) < 0 {
		return errENOMEM
	}
	return nil
}

// trimHeap gives the C heap's free pages back to the system.
func trimHeap() { C.tutti_trim() }

func frameC(f *astiav.Frame) *C.AVFrame { return (*C.AVFrame)(f.UnsafePointer()) }

// sws is a scaler from one kind of frame to 8-bit 4:2:0 of one size.
type sws struct{ c *C.struct_SwsContext }

// newSws returns nil when frames like src cannot be scaled.
func newSws(src *astiav.Frame, width, height, threads int) *sws {
	c := C.tutti_scaler_new(frameC(src), C.int(width), C.int(height), C.int(threads))
	if c == nil {
		return nil
	}
	return &sws{c}
}

func (s *sws) scale(src, dst *astiav.Frame) error {
	if r := C.tutti_scale(s.c, frameC(src), frameC(dst)); r < 0 {
		return astiav.Error(r)
	}
	return nil
}

func (s *sws) free() { C.tutti_scaler_free(s.c) }

// setUpProcess sets libav's log and the C heap up for the whole process. Only the
// first call does anything.
func setUpProcess() { C.tutti_process_setup() }

// nextLogLine returns the oldest line libav has logged, "" when there is none.
func nextLogLine() string {
	var buf [240]byte
	n := C.tutti_log_next((*C.char)(unsafe.Pointer(&buf[0])), C.int(len(buf)))
	return string(buf[:n])
}
