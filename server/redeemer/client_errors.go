package redeemer

import (
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/tuttinode/tutti/core/fault"
)

// codeTrailer is the trailer in which tutti redeemers name a refusal's code.
const codeTrailer = "tutti-code"

// asFault is a call's error as a fault: RedeemerUnreachable without an answer, else refused
// with the redeemer's text.
func asFault(refused fault.Code, op string, err error, trailer metadata.MD) error {
	if err == nil {
		return nil
	}
	st := status.Convert(err)
	switch st.Code() {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled:
		return &fault.Fault{Code: fault.RedeemerUnreachable, Op: op, Detail: st.Message(), Err: err}
	}
	detail := st.Code().String() + " " + st.Message()
	if code := codeIn(trailer); code != "" && st.Code() != codes.Internal {
		detail = string(code) + ": " + detail
	}
	return &fault.Fault{Code: refused, Op: op, Detail: detail, Err: err}
}

func codeIn(trailer metadata.MD) fault.Code {
	for _, code := range trailer.Get(codeTrailer) {
		if _, known := fault.Lookup(fault.Code(code)); known {
			return fault.Code(code)
		}
	}
	return ""
}
