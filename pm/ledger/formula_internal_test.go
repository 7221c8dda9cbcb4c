package ledger

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
)

// Text that others chose is no formula in a table; numbers and JSON are left alone.
func TestCellsAreNoFormulas(t *testing.T) {
	t.Parallel()
	l := row{"=1+1", "+1", "-1", "@sum", "\tx", "\rx", "plain", "", int64(-5)}
	columns := strings.Split("abcdefghi", "")
	var out bytes.Buffer
	s, err := newTableWriter(&out, CSV, columns)
	if err == nil {
		err = s.write(l)
	}
	if err == nil {
		err = s.flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) != 2 {
		t.Fatal(rows, err)
	}
	want := []string{"'=1+1", "'+1", "'-1", "'@sum", "'\tx", "'\rx", "plain", "", "-5"}
	for i, got := range rows[1] {
		if got != want[i] {
			t.Errorf("%q, want %q", got, want[i])
		}
	}
	out.Reset()
	if s, err = newTableWriter(&out, JSON, columns); err == nil {
		err = s.write(l)
	}
	if err != nil || !strings.Contains(out.String(), `"a":"=1+1"`) {
		t.Error(out.String(), err)
	}
}
