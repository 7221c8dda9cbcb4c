package redeemer

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tuttinode/tutti/core/fault"
)

// TestAnAnswerAtTheDeadline: a redeemer that gives up when the call's time has passed refused nothing, so its words
// end no ticket.
func TestAnAnswerAtTheDeadline(t *testing.T) {
	t.Parallel()
	past, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Millisecond))
	defer cancel()
	future, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	gaveUp := status.Error(codes.Internal, "DeadlineExceeded: The answer did not come in the time allowed.")
	for _, row := range []struct {
		ctx  context.Context
		want fault.Code
	}{
		{past, fault.RedeemerUnreachable},
		{future, fault.RedeemerRefuses},
		{t.Context(), fault.RedeemerRefuses},
	} {
		if got := fault.CodeOf(asFault(row.ctx, fault.RedeemerRefuses, "hand a ticket in", gaveUp, nil)); got != row.want {
			t.Errorf("%s, want %s", got, row.want)
		}
	}
}
