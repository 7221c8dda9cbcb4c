package usage_test

import (
	"bytes"
	"os/exec"
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

// What a shell completes is asked of bash itself.
func TestCompletionInBash(t *testing.T) {
	t.Parallel()
	var script bytes.Buffer
	if err := usage.WriteCompletion(&script, "bash"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ words, want string }{
		{"tutti doc", "doctor"},
		{"tutti -orchestra", "-orchestrator"},
		{"tutti key re", "revoke"},
		{"tutti ledger ver", "verify"},
		{"tutti config check -aiMod", "-aiModels -aiModelsDir"},
		{"tutti help led", "ledger"},
		{"tutti nothing x", ""},
	} {
		words := strings.Fields(tt.words)
		run := script.String() + "COMP_WORDS=(" + tt.words + ") COMP_CWORD=" + string(rune('0'+len(words)-1)) +
			"\n_tutti\necho \"${COMPREPLY[*]}\"\n"
		out, err := exec.Command("bash", "-c", run).CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != tt.want {
			t.Errorf("%s: %q, want %q (%v)", tt.words, got, tt.want, err)
		}
	}
	for _, shell := range []string{"zsh", "fish"} {
		script.Reset()
		if err := usage.WriteCompletion(&script, shell); err != nil || !strings.Contains(script.String(), "doctor") {
			t.Error(shell, err)
		}
	}
	if err := usage.WriteCompletion(&script, "bahs"); err == nil || !strings.HasSuffix(err.Error(), "did you mean bash?") {
		t.Error(err)
	}
}
