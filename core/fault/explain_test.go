package fault_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := fault.Explain(&b, "orchestratorcapped"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"OrchestratorCapped (busy)", "Cause:", "Remedy:", "-maxSessions",
		"Peers get: OrchestratorCapped"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "`") {
		t.Errorf("document marks on the terminal:\n%s", b.String())
	}
}

func TestExplainUnknown(t *testing.T) {
	t.Parallel()
	tests := []struct{ code, want string }{
		{"Capped", `no condition is called "Capped"; did you mean OrchestratorCapped?`},
		{"PortClsoed", `no condition is called "PortClsoed"; did you mean PortClosed?`},
		{"zebra", `no condition is called "zebra"; docs/troubleshooting.md lists them all`},
		{"", `no condition is called ""`},
	}
	for _, tt := range tests {
		var b strings.Builder
		err := fault.Explain(&b, tt.code)
		if err == nil || err.Error() != tt.want || b.Len() > 0 {
			t.Errorf("%q: got %v and %q", tt.code, err, b.String())
		}
	}
}

func TestDocHoldsEveryRow(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := fault.WriteDoc(&b); err != nil {
		t.Fatal(err)
	}
	for _, row := range fault.Table() {
		if !strings.Contains(b.String(), "\n### "+string(row.Code)+"\n") || !strings.Contains(b.String(), row.Remedy) {
			t.Errorf("the page does not hold %s", row.Code)
		}
	}
}

// errWriter fails as a full disk does.
type errWriter struct{}

var errFull = errors.New("disk full")

func (errWriter) Write([]byte) (int, error) { return 0, errFull }

func TestDocReportsWriteErrors(t *testing.T) {
	t.Parallel()
	if err := fault.WriteDoc(errWriter{}); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
	if err := fault.Explain(errWriter{}, "NoDevices"); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
}
