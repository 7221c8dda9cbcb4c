package redeemer

import (
	"strings"
	"testing"

	"google.golang.org/grpc/metadata"

	"github.com/tuttinode/tutti/core/fault"
)

// TestCallersLearnNoEndpoints: any host may ask a redeemer, whose endpoints and their answers are
// its operator's.
func TestCallersLearnNoEndpoints(t *testing.T) {
	t.Parallel()
	var trailer metadata.MD
	err := answer(fault.New(fault.ChainUnavailable, "read funds", "rpc.example.org: project 0123abcd exceeded"),
		func(md metadata.MD) { trailer = md })
	if strings.Contains(err.Error(), "example.org") || strings.Contains(err.Error(), "0123abcd") {
		t.Error(err)
	}
	if got := trailer.Get(CodeTrailer); len(got) != 1 || got[0] != string(fault.ChainUnavailable) {
		t.Errorf("the code is %v", got)
	}
	err = answer(fault.New(fault.TicketForeign, opQueue, "it pays another"), func(metadata.MD) {})
	if !strings.Contains(err.Error(), "it pays another") {
		t.Error(err)
	}
}
