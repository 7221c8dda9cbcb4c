package usage_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/cmd/internal/usage"
)

func TestOverview(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := usage.Overview(&b); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if len(line) > 100 {
			t.Errorf("%q is long", line)
		}
	}
	for _, c := range usage.Commands() {
		if !strings.Contains(b.String(), "\n  "+c.Name+" ") {
			t.Errorf("%s is not in\n%s", c.Name, &b)
		}
	}
}

// What a shell's script is offered for a command line.
func TestCompletion(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ words, want, not string }{
		{"doc", "doctor", "key"},
		{"-orchestra", "-orchestrator", "doctor"},
		{"key re", "revoke", "verify"},
		{"ledger ver", "verify", "revoke"},
		{"config check -aiMod", "-aiModelsDir", "check"},
		{"help led", "ledger", ""},
		{"nothing x", "", "doctor"},
	} {
		var out bytes.Buffer
		err := usage.Complete(t.Context(), usage.CompleteNamesWord, strings.Fields(tt.words), &out, io.Discard)
		offered := strings.Fields(out.String())
		if err != nil || tt.want != "" && !slices.Contains(offered, tt.want) || slices.Contains(offered, tt.not) {
			t.Errorf("%s: %q, want %q and not %q (%v)", tt.words, offered, tt.want, tt.not, err)
		}
	}
	for _, shell := range usage.Shells() {
		var script bytes.Buffer
		if err := usage.WriteCompletion(&script, "tutti", shell); err != nil ||
			!strings.Contains(script.String(), usage.CompleteWord) {
			t.Error(shell, err)
		}
	}
	err := usage.WriteCompletion(io.Discard, "tutti", "bahs")
	if err == nil || !strings.HasSuffix(err.Error(), "did you mean bash?") {
		t.Error(err)
	}
}
