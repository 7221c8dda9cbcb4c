package libav

import (
	"errors"

	"github.com/tuttinode/tutti/core/fault"
)

// NoEncoder reports whether the device was found to have no encoder that can be
// used, with the driver's message. The GPU may have none, or its driver may be partly
// installed: the caller, which knows the GPUs, decides which. The CPU has none.
func (e *Engine) NoEncoder() (reason string, none bool) {
	if e.gpu == nil {
		return "", true
	}
	if said := e.gpu.noEncoder.Load(); said != nil {
		return *said, true
	}
	return "", false
}

// recordNoEncoder remembers for the engine's life that the device has no encoder, if
// that is what a refusal says. The CPU then has most of the work, so that no
// more segments are in work at once than it has cores.
func (e *Engine) recordNoEncoder(r *refusal) {
	if r == nil || !r.forever {
		return
	}
	reason := detailOf(r.err)
	if !e.gpu.noEncoder.CompareAndSwap(nil, &reason) {
		return
	}
	e.slots.Store(newSlots(e.cores))
	e.log.Info("no encoder of the GPU can be used; the CPU encodes", "device", e.device, "err", reason)
}

// detailOf returns what a device said, where an error has it apart from the rest.
func detailOf(err error) string {
	if f, ok := errors.AsType[*fault.Fault](err); ok && f.Detail != "" {
		return f.Detail
	}
	return err.Error()
}
