package e2e

import (
	"strings"
	"testing"
)

// `tutti help` is a page of commands, and a mistyped command is answered with the one that
// was meant.
func TestHelpIsForPeople(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	said, status := command(t, home, "help")
	if status != 0 || strings.Count(said, "\n") > 30 || !strings.Contains(said, "\n  doctor ") ||
		!strings.Contains(said, "\n  init ") {
		t.Errorf("status %d:\n%.1500s", status, said)
	}
	if said, status = command(t, home, "help", "options"); status != 0 || !strings.Contains(said, "  -maxSessions") {
		t.Errorf("status %d:\n%.500s", status, said)
	}
	if said, status = command(t, home, "doctro"); status != 2 || !strings.Contains(said, "did you mean doctor?") ||
		strings.Contains(said, "NoRole") {
		t.Errorf("status %d:\n%s", status, said)
	}
	if said, status = command(t, home, "completion", "bash"); status != 0 || !strings.Contains(said, "complete ") {
		t.Errorf("status %d:\n%.300s", status, said)
	}
}
