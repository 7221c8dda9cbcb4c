package paymentlog_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
)

// What orchestrators and clients chose is no formula in a spreadsheet, and is left as
// it is in JSON.
func TestAnExportHasNoFormulas(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir(), nil)
	p := payment(1, 1, 1)
	p.Peer, p.Account, p.Pipeline, p.Model = "=HYPERLINK(1)", "@sum", "+p", "-m"
	b.pay(t, p)
	p = payment(1, 2, 2)
	p.Account, p.Model = core.ManifestID("\tx"), "\rx"
	b.pay(t, p)
	var out bytes.Buffer
	if err := b.Export(t.Context(), &out, "csv"); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatal(rows, err)
	}
	for _, row := range rows {
		for _, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) {
				t.Errorf("a formula: %q", cell)
			}
		}
	}
	if rows[1][3] != "'=HYPERLINK(1)" {
		t.Errorf("%q", rows[1])
	}
	out.Reset()
	if err := b.Export(t.Context(), &out, "json"); err != nil || !strings.Contains(out.String(), `"account":"@sum"`) {
		t.Error(out.String(), err)
	}
}
