package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/cmd/internal/usage"
	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
	"github.com/tuttinode/tutti/cmd/tutti/internal/doctorcmd"
)

// Every command of the table is there, can be explained, and knows its second words.
func TestEveryCommandIsExplained(t *testing.T) {
	t.Parallel()
	for _, c := range usage.Commands() {
		if _, ok := commandOf(c.Name); !ok {
			t.Errorf("%s is in the table and not there", c.Name)
		}
		var out, errs strings.Builder
		if status := printHelp(t.Context(), []string{c.Name}, &out, &errs); status != command.ExitOK ||
			!strings.HasPrefix(out.String(), "usage: tutti "+c.Name) {
			t.Errorf("%s: status %d: %s%s", c.Name, status, out.String(), errs.String())
		}
		for _, word := range c.Words {
			if !strings.Contains(out.String(), word) {
				t.Errorf("the help of %s lacks %s", c.Name, word)
			}
		}
	}
}

// A usage error is the mistake and the line as it should be, and fits into a few lines.
func TestUsageErrorsAreShort(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"key crate":              {"did you mean create?", "usage: tutti key create"},
		"key list -nonsense":     {"not defined: -nonsense", "usage: tutti key"},
		"ledger shwo":            {"did you mean show?", "usage: tutti ledger show"},
		"config chek":            {"did you mean check?", "usage: tutti config check"},
		"gpu lst":                {"did you mean list?", "usage: tutti gpu list"},
		"alert tets":             {"did you mean test?", "usage: tutti alert test"},
		"doctor explian":         {"did you mean explain?", "usage: tutti doctor"},
		"move -netwrok offchain": {"did you mean -network?", "usage: tutti migrate"},
		"completion":             {"the shell is missing", "usage: tutti completion"},
		"help doctro":            {"did you mean doctor?"},
		"doctro -orchestrator":   {"did you mean doctor?", "usage: tutti "},
		"-orchestratr":           {"did you mean -orchestrator?", "usage: tutti "},
	} {
		var out, errs strings.Builder
		status := run(t.Context(), strings.Fields(line), &out, &errs)
		if status != command.ExitUsage && status != doctorcmd.ExitDoctorUsage || strings.Count(errs.String(), "\n") > 10 ||
			out.Len() > 0 {
			t.Errorf("%s: status %d\n%s%s", line, status, out.String(), errs.String())
		}
		for _, part := range want {
			if !strings.Contains(errs.String(), part) {
				t.Errorf("%s: %q is not in\n%s", line, part, errs.String())
			}
		}
	}
}

func TestAlertsAreTested(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	if status := command.RunAlert(t.Context(), []string{"test", "-orchestrator", "-transcoder", "-dataDir", t.TempDir()},
		&stdout, &stderr); status != command.ExitUsage || !strings.Contains(stderr.String(), "AlertNobody") {
		t.Errorf("without an address: %d %s", status, &stderr)
	}
	args := []string{"test", "-orchestrator", "-transcoder", "-dataDir", t.TempDir(), "-alert",
		"http://127.0.0.1:1/s3cr3t"}
	if status := command.RunAlert(t.Context(), args, &stdout, &stderr); status != command.ExitFailed ||
		!strings.Contains(stdout.String(), "cannot be reached") ||
		strings.Contains(stdout.String()+stderr.String(), "s3cr3t") {
		t.Errorf("%d %s %s", status, &stdout, &stderr)
	}
}
