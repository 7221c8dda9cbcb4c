package libav

import (
	"errors"

	"github.com/tuttinode/tutti/core"
)

// form is which parts of the work the CPU does in place of the GPU.
type form struct{ cpuDecode, cpuEncode bool }

// refusal is an error that the CPU can avoid: a good device does not support this kind
// of work.
type refusal struct {
	err error
	// encoder: the encoder refused, else the decoder or scaler did.
	encoder bool
	// lasting: the device would refuse the session's next segment as well; forever: it has no
	// such unit at all.
	lasting, forever bool
}

func (r *refusal) Error() string { return r.err.Error() }
func (r *refusal) Unwrap() error { return r.err }

// and returns the union of two forms.
func (f form) and(o form) form {
	return form{cpuDecode: f.cpuDecode || o.cpuDecode, cpuEncode: f.cpuEncode || o.cpuEncode}
}

// without returns the form that avoids an error, if there is one. mayLose: the session may give up
// an encoder that is only busy.
func (f form) without(err error, mayLose bool, profiles []core.Profile) (form, bool) {
	r, ok := errors.AsType[*refusal](err)
	switch {
	case ok && !r.encoder && !f.cpuDecode:
		return form{cpuDecode: true, cpuEncode: f.cpuEncode}, true
	case (ok && r.encoder || mayLose) && !f.cpuEncode && !anyHEVC(profiles):
		return form{cpuDecode: f.cpuDecode, cpuEncode: true}, true
	}
	return f, false
}

// anyHEVC reports whether a rendition needs the GPU's encoder: the CPU has
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
		return "all on the CPU"
	case f.cpuDecode:
		return "decoded on the CPU"
	case f.cpuEncode:
		return "encoded on the CPU"
	}
	return "all on the GPU"
}
