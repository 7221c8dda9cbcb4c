package admin_test

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
)

// What this API answers with must be true of its requests, not of the node's own
// work alone.
func TestRemediesAreTrue(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code      fault.Code
		says, not string
	}{
		{fault.TokensMissing, "smaller amount", "smallest unit"},
		{fault.GasMoneyMissing, "has to be asked for again", "looks again by itself"},
	} {
		row, ok := fault.Lookup(tt.code)
		if !ok || !strings.Contains(row.Remedy, tt.says) || strings.Contains(row.Remedy, tt.not) {
			t.Errorf("%s: %s", tt.code, row.Remedy)
		}
	}
}
