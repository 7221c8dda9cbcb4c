package redeemer

import (
	"context"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/tuttinode/tutti/core/fault"
)

// codeTrailer is the trailer in which tutti redeemers name a refusal's code.
const codeTrailer = "tutti-code"

// asFault is a call's error as a fault: RedeemerUnreachable without an answer, else refused
// with the redeemer's text. A redeemer knows the call's deadline: what it says once that has passed
// tells that it gave up, and no refusal.
func asFault(ctx context.Context, refused fault.Code, op string, err error, trailer metadata.MD) error {
	if err == nil {
		return nil
	}
	st := status.Convert(err)
	deadline, limited := ctx.Deadline()
	late := limited && !time.Now().Before(deadline)
	switch code := st.Code(); {
	case late, code == codes.Unavailable, code == codes.DeadlineExceeded, code == codes.Canceled:
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
