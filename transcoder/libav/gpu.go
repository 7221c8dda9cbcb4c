package libav

import (
	"strconv"
	"sync/atomic"

	"github.com/asticode/go-astiav"

	"github.com/tuttinode/tutti/core/fault"
)

// CUDA says that an engine's device is an NVIDIA GPU.
type CUDA struct {
	// Ordinal is CUDA's number of it. A media worker sees one GPU only, so it is 0
	// there.
	Ordinal int
}

// gpu is the device of an engine. It has a CUDA context of its own, not the
// device's primary one: destroying it gives everything back that was in it, and
// what a lost device leaves behind in it is not inherited.
type gpu struct {
	context *astiav.HardwareDeviceContext
	// noEncoder is set once the device is known to have none, to what it said.
	noEncoder atomic.Pointer[string]
}

func openGPU(c CUDA) (*gpu, error) {
	const op = "open GPU"
	log := newCapture()
	defer log.free()
	g := &gpu{}
	err := log.do(func() (err error) {
		g.context, err = astiav.CreateHardwareDeviceContext(astiav.HardwareDeviceTypeCUDA, strconv.Itoa(c.Ordinal), nil, 0)
		return err
	})
	if err == nil {
		return g, nil
	}
	if code := openFailure(log.text()); code != "" {
		return nil, deviceFault(code, op, log.text(), err)
	}
	if f := deviceFailed(op, err); fault.CodeOf(f) != fault.TranscoderFailed {
		return nil, f
	}
	// libav's value for a missing library is a permission that is denied.
	return nil, deviceFault(fault.CUDALibrary, op, log.text(), err)
}

// A session of the encoder takes about as much memory as this frame.
const spareWidth, spareHeight = 8192, 4096

// refusedSession looks again at an encoder session that was refused: the driver has
// one and the same word for its cap and for a GPU that is full.
func (g *gpu) refusedSession(err error) error {
	if fault.CodeOf(err) != fault.EncoderSessionsExhausted {
		return err
	}
	spare, want := g.blank(spareWidth, spareHeight)
	if fault.CodeOf(want) == fault.GPUOutOfMemory {
		return want
	}
	if want == nil {
		spare.Free()
	}
	return err
}

// The size of the frame that works copies.
const trialWidth, trialHeight = 64, 64

// works tries whether the device still does something at all: memory is allocated and
// copied from. A device without memory left answers, and so it works.
func (g *gpu) works() bool {
	f, err := g.blank(trialWidth, trialHeight)
	if err != nil {
		return fault.CodeOf(err) == fault.GPUOutOfMemory
	}
	defer f.Free()
	copied, log := astiav.AllocFrame(), newCapture()
	defer log.free()
	if copied == nil {
		return true
	}
	defer copied.Free()
	return download(f, copied, log) == nil
}

func (g *gpu) close() { g.context.Free() }
