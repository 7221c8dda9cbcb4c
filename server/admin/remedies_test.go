package admin_test

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admin"
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
		{fault.AdminExposed, "`-adminSocket /path`", "unix:"},
		{fault.NodeUnreachable, "`-cliAddr` or `-adminSocket`", "-cliAddr unix:"},
	} {
		row, ok := fault.Lookup(tt.code)
		if !ok || !strings.Contains(row.Remedy, tt.says) || strings.Contains(row.Remedy, tt.not) {
			t.Errorf("%s: %s", tt.code, row.Remedy)
		}
	}
}

// The node's option for a socket is -adminSocket; an address of -cliAddr has a port.
func TestGuideNamesTheSocketsOption(t *testing.T) {
	t.Parallel()
	var page strings.Builder
	if err := admin.WriteDoc(&page); err != nil {
		t.Fatal(err)
	}
	if text := page.String(); !strings.Contains(text, "`-adminSocket /run/tutti/admin.sock`") ||
		strings.Contains(text, "unix:/") {
		t.Error("the page does not name -adminSocket, or names an address that -cliAddr refuses")
	}
}
