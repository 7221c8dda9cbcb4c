package worker

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tuttinode/tutti/core/fault"
)

func TestClassifyEnd(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name      string
		err       error
		want      fault.Code
		permanent bool
	}{
		{"clean", nil, fault.WorkerNotRegistered, false},
		{"secret", status.Error(codes.Unknown, "invalid secret"), fault.WorkerSecretRefused, true},
		{"certificate", status.Error(codes.Unauthenticated, "invalid secret"), fault.WorkerCertificateRefused, true},
		{"capacity", status.Error(codes.Unknown, "zero capacity"), fault.WorkerZeroCapacity, true},
		{"more than the text", status.Error(codes.Unknown, "invalid secret sauce"), fault.WorkerNotRegistered, false},
		{"canceled", status.Error(codes.Canceled, "enough"), fault.WorkerDismissed, true},
		{"broken stream", status.Error(codes.Canceled, "stream terminated by RST_STREAM with error code: CANCEL"),
			fault.WorkerNotRegistered, false},
		{"unavailable", status.Error(codes.Unavailable, "connection refused"), fault.WorkerNotRegistered, false},
		{"no status", errors.New("eof"), fault.WorkerNotRegistered, false},
	} {
		f, permanent := classifyEnd("host:8935", row.err)
		if f.Code != row.want || permanent != row.permanent {
			t.Errorf("%s: %v, permanent %v", row.name, f, permanent)
		}
	}
}

// The same problem has the same short text each time.
func TestPlain(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		" enough \n": "enough",
		"read tcp 10.0.0.2:43210->10.0.0.1:8935: read: connection reset": "read tcp 10.0.0.1:8935: read: connection reset",
		strings.Repeat("x", 10000):                                       strings.Repeat("x", maxText),
		"bad \xff\xfe end":                                               "bad  end",
	} {
		if got := plain(in); got != want {
			t.Errorf("%.40q: %q", in, got)
		}
	}
}
