package command

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/mattn/go-sqlite3"

	"github.com/tuttinode/tutti/core/fault"
)

// TestCauses: what tables cannot be read or written for is named, and not the table that came first.
func TestCauses(t *testing.T) {
	t.Parallel()
	damaged := sqlite3.Error{Code: sqlite3.ErrCorrupt}
	for _, tt := range []struct {
		err  error
		want fault.Code
	}{
		{fault.Wrap(fault.ChainCacheFailed, "open tutti.db", sqlite3.Error{Code: sqlite3.ErrNotADB}),
			fault.DatabaseDamaged},
		{fault.Wrap(fault.KeyStoreFailed, "open", fmt.Errorf("migrate: %w", damaged)), fault.DatabaseDamaged},
		{fault.Wrap(fault.ComponentFailed, "ledger", fault.Wrap(fault.LedgerFailed, "write", damaged)),
			fault.DatabaseDamaged},
		{fault.Wrap(fault.OldDataUnreadable, "read the old node's", damaged), fault.OldDataUnreadable},
		{fault.Wrap(fault.KeyStoreFailed, "write", sqlite3.Error{Code: sqlite3.ErrFull}), fault.DataDiskFull},
		{fault.Wrap(fault.LedgerFailed, "write", errors.New("other")), fault.LedgerFailed},
	} {
		if got := fault.CodeOf(ByCause(tt.err)); got != tt.want {
			t.Errorf("%v is %s, want %s", tt.err, got, tt.want)
		}
		row, _ := fault.Lookup(tt.want)
		if text := Describe(tt.err); !strings.Contains(text, row.Remedy) {
			t.Errorf("%s", text)
		}
	}
}

// TestMisusedIsNoDefect: an option that is missing has the usage text for a remedy, and is no unknown failure.
func TestMisusedIsNoDefect(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"route"}, {"route", "-node", "http://127.0.0.1:1", "-explain", "x", "-gateway"}} {
		var said strings.Builder
		status := RunGateway(t.Context(), args, io.Discard, &said)
		if text := said.String(); status != ExitUsage || strings.Contains(text, "Unexpected") ||
			!strings.Contains(text, "usage: tutti gateway route") {
			t.Errorf("%v: status %d\n%s", args, status, text)
		}
	}
}
