package libav

import (
	"context"
	"errors"

	"github.com/asticode/go-astiav"

	"github.com/tuttinode/tutti/core/fault"
)

// errEINVAL is libav's "Invalid argument", which go-astiav has no name for.
const errEINVAL = astiav.Error(-22)

// errENOMEM is libav's "Cannot allocate memory".
const errENOMEM = astiav.Error(-12)

// libavCodes are the failures that a peer knows by libav's own text. Read-only.
var libavCodes = map[astiav.Error]fault.Code{
	astiav.ErrInvaliddata:     fault.InvalidData,
	astiav.ErrDecoderNotFound: fault.DecoderNotFound,
	astiav.ErrDemuxerNotFound: fault.DemuxerNotFound,
	astiav.ErrEncoderNotFound: fault.EncoderNotFound,
	astiav.ErrMuxerNotFound:   fault.MuxerNotFound,
	astiav.ErrOptionNotFound:  fault.OptionNotFound,
	errEINVAL:                 fault.InvalidArgument,
}

// failed turns an error of libav, of a context or of our own into a fault. A
// fault stays what it is.
func failed(op string, err error) error {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*fault.Fault](err); ok {
		return f
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fault.Wrap(fault.TranscoderStopped, op, err)
	}
	if e, ok := errors.AsType[astiav.Error](err); ok {
		code, known := libavCodes[e]
		if !known {
			code = fault.TranscoderFailed
		}
		return &fault.Fault{Code: code, Op: op, Detail: e.Error(), Err: err}
	}
	return fault.Wrap(fault.TranscoderFailed, op, err)
}
