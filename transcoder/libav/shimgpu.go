package libav

//#include <stdlib.h>
//#include "shim.h"
//#include "shimgpu.h"
import "C"

import (
	"errors"
	"runtime"
	"unsafe"

	"github.com/asticode/go-astiav"
)

// capture collects what libav says during single calls that concern a device. A
// nil capture collects nothing and costs nothing.
type capture struct{ c *C.TuttiCapture }

func newCapture() *capture { return &capture{(*C.TuttiCapture)(C.calloc(1, C.sizeof_TuttiCapture))} }

// deviceError is libav's error with its words.
type deviceError struct {
	err  error
	text string
}

func (e *deviceError) Error() string { return e.err.Error() + ": " + e.text }
func (e *deviceError) Unwrap() error { return e.err }

// do runs one call into libav. An error that is one comes back as a *deviceError.
func (c *capture) do(call func() error) error {
	if c == nil {
		return call()
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	C.tutti_capture(c.c)
	err := call()
	C.tutti_capture(nil)
	if err == nil || errors.Is(err, astiav.ErrEagain) || errors.Is(err, astiav.ErrEof) {
		return err
	}
	return &deviceError{err: err, text: c.text()}
}

// text returns what was said in the latest call, on one line: what speaks of the device
// first.
func (c *capture) text() string {
	device, rest := &c.c.device, &c.c.rest
	return oneText(C.GoStringN(&device.text[0], C.int(device.length)) + C.GoStringN(&rest.text[0], C.int(rest.length)))
}

func (c *capture) free() {
	if c != nil && c.c != nil {
		C.free(unsafe.Pointer(c.c))
		c.c = nil
	}
}

// pick is a decoder's record of what the device said.
type pick struct{ c *C.TuttiPick }

func newPick() *pick          { return &pick{(*C.TuttiPick)(C.calloc(1, C.sizeof_TuttiPick))} }
func (p *pick) made() int     { return int(p.c.made) }
func (p *pick) free()         { C.free(unsafe.Pointer(p.c)) }
func (p *pick) refused() bool { return p.c.refused > 0 }

func codecC(c *astiav.CodecContext) *C.AVCodecContext { return (*C.AVCodecContext)(c.UnsafePointer()) }

func pickCUDA(c *astiav.CodecContext, p *pick) { C.tutti_pick_cuda(codecC(c), p.c) }

// decodesOnCUDA reports whether libav knows a way to decode on the GPU with an
// allocated decoder's codec.
func decodesOnCUDA(c *astiav.CodecContext) bool { return C.tutti_decodes_on_cuda(codecC(c).codec) != 0 }

func allowMarks(c *astiav.CodecContext) { C.tutti_allow_marks(codecC(c)) }

func sendMarked(c *astiav.CodecContext, data []byte, mark int64) error {
	if r := C.tutti_send_marked(codecC(c), (*C.uint8_t)(unsafe.SliceData(data)), C.int(len(data)),
		C.int64_t(mark)); r < 0 {
		return astiav.Error(r)
	}
	return nil
}

func markOf(f *astiav.Frame) int64 { return int64(C.tutti_mark(frameC(f))) }

func flushCodec(c *astiav.CodecContext) { C.tutti_flush(codecC(c)) }

func encoderFlushes(c *astiav.CodecContext) bool { return C.tutti_encoder_flushes(codecC(c)) != 0 }

// pool identifies the GPU memory that frames come from. It is only compared, while
// something holds a reference to that memory.
type pool uintptr

func poolOf(f *astiav.Frame) pool { return pool(uintptr(C.tutti_pool(frameC(f)))) }

func layoutOf(f *astiav.Frame) astiav.PixelFormat {
	return astiav.PixelFormat(C.tutti_layout(frameC(f)))
}

func copyProps(dst, src *astiav.Frame) error {
	if r := C.tutti_copy_props(frameC(dst), frameC(src)); r < 0 {
		return astiav.Error(r)
	}
	return nil
}

// padEven copies 8-bit 4:2:0 into a frame whose even size it fills to the edge.
func padEven(dst, src *astiav.Frame) error {
	if r := C.tutti_pad_even(frameC(dst), frameC(src)); r < 0 {
		return astiav.Error(r)
	}
	return nil
}
