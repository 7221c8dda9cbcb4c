package libav

import (
	"errors"

	"github.com/tuttinode/tutti/core"
)

// form says which parts of the work the processor does in place of the GPU.
type form struct{ cpuDecode, cpuEncode bool }

// refusal is an error that the processor can mend: the device does not do this
// kind of work, and is well otherwise.
type refusal struct {
	err error
	// encoder says that the encoder refused, else decoder or scaler did.
	encoder bool
	// lasting says that the device would refuse the session's next segment as well;
	// forever, that it has no such unit at all.
	lasting, forever bool
}

func (r *refusal) Error() string { return r.err.Error() }
func (r *refusal) Unwrap() error { return r.err }

// and returns the form in which the processor does what it does in either.
func (f form) and(o form) form {
	return form{cpuDecode: f.cpuDecode || o.cpuDecode, cpuEncode: f.cpuEncode || o.cpuEncode}
}

// without returns the form that goes round an error, if one does. mayLose says that
// the session can do without an encoder that is only taken.
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
