package libav

import (
	"errors"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// form says which parts of a session's work the processor does in place of the
// GPU. The first segment decides, by what the device refuses; a session never goes
// back to the GPU, which would refuse again.
type form struct{ cpuDecode, cpuEncode bool }

// refusal is an error that the processor can mend: the device does not do this
// kind of work, and is well otherwise.
type refusal struct {
	err error
	// encoder says that the encoder refused, else decoder or scaler did.
	encoder bool
	// forever says that the device has no such unit at all.
	forever bool
}

func (r *refusal) Error() string { return r.err.Error() }
func (r *refusal) Unwrap() error { return r.err }

// without returns the form that goes round an error, if one does. established says
// that the session has had a segment done: then an encoder that cannot be had back
// must not end its stream.
func (f form) without(err error, established bool, profiles []core.Profile) (form, bool) {
	r, ok := errors.AsType[*refusal](err)
	capped := errors.Is(err, fault.EncoderSessionsExhausted)
	switch {
	case ok && !r.encoder && !f.cpuDecode:
		return form{cpuDecode: true, cpuEncode: f.cpuEncode}, true
	case (ok && r.encoder || capped && established) && !f.cpuEncode && !anyHEVC(profiles):
		return form{cpuDecode: f.cpuDecode, cpuEncode: true}, true
	}
	return f, false
}

// anyHEVC reports whether a rendition needs the GPU's encoder: the processor has
// none for it.
func anyHEVC(profiles []core.Profile) bool {
	for _, p := range profiles {
		if p.Encoder == core.CodecHEVC {
			return true
		}
	}
	return false
}

func (f form) String() string {
	switch {
	case f.cpuDecode && f.cpuEncode:
		return "all on the processor"
	case f.cpuDecode:
		return "decoded on the processor"
	case f.cpuEncode:
		return "encoded on the processor"
	}
	return "all on the GPU"
}
