package command_test

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
)

// A database that does not answer is told by its own name: the remedies for tutti.db are
// of no use with it.
func TestAStoreThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	const away = "postgres://nobody:hush@127.0.0.1:1/none?sslmode=disable"
	for name, args := range map[string][]string{
		"books":  {"books", "-store", away},
		"show":   {"show", "-store", away + "&book=one"},
		"verify": {"verify", "-store", away + "&book=one"},
		"export": {"export", "-store", away + "&book=one"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, out, errs := ledgerRun(t, t.TempDir(), args...)
			if status != command.ExitFailed || out != "" || !strings.Contains(errs, "StoreUnreachable") ||
				strings.Contains(errs, "LedgerFailed") {
				t.Errorf("status %d, %q, %q", status, out, errs)
			}
			if strings.Contains(errs, "hush") || strings.Contains(errs, "127.0.0.1") {
				t.Errorf("the address is shown: %s", errs)
			}
		})
	}
}
