package verb_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/cmd/tutti_cli/action"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
)

// Every line of the manual page is text or a command that roff knows.
func TestManualPage(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := verb.WriteMan(&b, action.Table()); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(b.String(), "\n") {
		command, _, _ := strings.Cut(line, " ")
		if strings.HasPrefix(line, ".") && !strings.Contains(" .TH .SH .SS .B .TP .PP .\\\" ", " "+command+" ") ||
			strings.HasPrefix(line, "'") {
			t.Errorf("line %q", line)
		}
	}
	mandoc, err := exec.LookPath("mandoc")
	if err != nil {
		return
	}
	cmd := exec.Command(mandoc, "-T", "lint", "-W", "error")
	cmd.Stdin = strings.NewReader(b.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
