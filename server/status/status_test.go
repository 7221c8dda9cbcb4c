package status_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/status"
)

func TestStatuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name           string
		err            error
		http, protocol int
		grpc           codes.Code
	}{
		{"no code", errors.New("x"), 500, 500, codes.Internal},
		{"configuration", fault.New(fault.NoDevices, "", ""), 500, 500, codes.FailedPrecondition},
		{"capped", fault.New(fault.OrchestratorCapped, "", ""), 503, 403, codes.ResourceExhausted},
		{"draining", fault.New(fault.Draining, "", ""), 503, 403, codes.ResourceExhausted},
		{"busy", fault.New(fault.UploadsFull, "", ""), 503, 503, codes.ResourceExhausted},
		{"payment header", fault.New(fault.PaymentEncoding, "", ""), 402, 402, codes.FailedPrecondition},
		{"payment", fault.New(fault.InsufficientBalance, "", ""), 402, 400, codes.FailedPrecondition},
		{"no terms for the answer", fault.New(fault.ReplyTermsFailed, "", ""), 402, 500, codes.FailedPrecondition},
		{"ticket", fault.New(fault.TicketParamsForeign, "", ""), 402, 400, codes.FailedPrecondition},
		{"stale tickets", fault.New(fault.TicketParamsStale, "", ""), 503, 400, codes.FailedPrecondition},
		{"signature", fault.New(fault.ErrSegSig, "", ""), 403, 403, codes.PermissionDenied},
		{"not found", fault.New(fault.ResultNotFound, "", ""), 404, 404, codes.NotFound},
		{"bad profile", fault.New(fault.TranscoderInvalidGOP, "", ""), 400, 400, codes.InvalidArgument},
		{"body", fault.New(fault.SegmentUnreadable, "", ""), 502, 500, codes.Unavailable},
		{"too large", fault.New(fault.PushTooLarge, "", ""), 413, 400, codes.InvalidArgument},
		{"images too large", fault.New(fault.PicturesTooLarge, "", ""), 413, 400, codes.InvalidArgument},
		{"input bad everywhere", fault.New(fault.SegmentNotTranscodable, "", ""), 422, 400, codes.InvalidArgument},
		{"no orchestrator", fault.New(fault.NoSessionsAvailable, "", ""), 503, 503, codes.Unavailable},
		{"upstream", fault.New(fault.OrchestratorBroke, "", ""), 502, 503, codes.Unavailable},
		{"canceled", fmt.Errorf("x: %w", context.Canceled), 499, 503, codes.Canceled},
		{"late", context.DeadlineExceeded, 504, 503, codes.DeadlineExceeded},
		{"off-chain", fault.New(fault.MissingETHClient, "", ""), 500, 400, codes.InvalidArgument},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := status.HTTP(tt.err); got != tt.http {
				t.Errorf("HTTP %d, want %d", got, tt.http)
			}
			if got := status.Protocol(tt.err); got != tt.protocol {
				t.Errorf("protocol %d, want %d", got, tt.protocol)
			}
			if got := status.GRPC(tt.err); got != tt.grpc {
				t.Errorf("gRPC %v, want %v", got, tt.grpc)
			}
		})
	}
}

// TestJob is the network's table of what AI jobs are answered.
func TestJob(t *testing.T) {
	t.Parallel()
	for code, want := range map[fault.Code]int{
		fault.JobUnreadable: 400, fault.MaxTokensMissing: 400, fault.ImageUnreadable: 400, fault.JobTooLarge: 413,
		fault.PicturesTooLarge: 413, fault.PictureNotFetched: 400,
		fault.PaymentEncoding: 402, fault.PaymentMessage: 402, fault.PaymentRefused: 400, fault.InsufficientBalance: 400,
		fault.TicketParamsStale: 400, fault.TicketNonceSeen: 400, fault.ExpectedPriceWrong: 400,
		fault.NotActiveForPayment: 400,
		fault.ErrorSegEncoding:    403, fault.ErrSegSig: 403, fault.IncompatibleCapabilities: 403,
		fault.ExpiredAuthToken: 403,
		fault.ModelNotServed:   503, fault.ModelWaitOver: 503, fault.JobsDraining: 503, fault.ModelNotReady: 503,
		fault.ArtifactsFull: 500, fault.StreamBroken: 500, fault.VideoEncoderMissing: 500, fault.Unexpected: 500,
		fault.JobUnknown: 404, fault.Canceled: 499,
	} {
		if got := status.Job(fault.New(code, "", "")); got != want {
			t.Errorf("%s: %d, want %d", code, got, want)
		}
	}
}

func TestEveryCodeIsAnError(t *testing.T) {
	t.Parallel()
	for _, row := range fault.Table() {
		err := fault.New(row.Code, "", "")
		if s := status.HTTP(err); s < 400 || s > 599 {
			t.Errorf("%s: HTTP %d", row.Code, s)
		}
		if s := status.Job(err); s < 400 || s > 599 {
			t.Errorf("%s: job %d", row.Code, s)
		}
		if s := status.Protocol(err); s < 400 || s > 599 {
			t.Errorf("%s: protocol %d", row.Code, s)
		}
		if c := status.GRPC(err); c == codes.OK || c == codes.Unknown {
			t.Errorf("%s: gRPC %v", row.Code, c)
		}
	}
}

func TestWriteJSON(t *testing.T) {
	t.Parallel()
	rec := httptest.NewRecorder()
	status.WriteJSON(rec, fault.New(fault.OrchestratorCapped, "admit", `10 of "10" in use`))
	want := `{"error":{"code":"OrchestratorCapped","message":"10 of \"10\" in use","retryable":true}}` + "\n"
	if rec.Code != http.StatusServiceUnavailable || rec.Body.String() != want ||
		rec.Header().Get("Content-Type") != "application/json" {
		t.Errorf("%d %v %s", rec.Code, rec.Header(), rec.Body)
	}
}
