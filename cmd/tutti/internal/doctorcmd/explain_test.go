package doctorcmd

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
)

// What answers at the admin port may be any user's program: it steers no terminal.
func TestExplanationsSteerNoTerminal(t *testing.T) {
	t.Parallel()
	const hostile = "\x1b]0;x\x07\u009b2J\u202e"
	var b bytes.Buffer
	err := writeExplanation(&b, &adminapi.Explanation{Summary: hostile, Findings: []adminapi.Finding{{
		Says: hostile, Evidence: []string{hostile}, Remedy: hostile,
	}}})
	if err != nil || strings.ContainsAny(b.String(), "\x1b\x07\u009b\u202e") {
		t.Errorf("%v: %q", err, b.String())
	}
	if text := command.Describe(errors.New(hostile)); strings.ContainsAny(text, "\x1b\x07\u009b\u202e") {
		t.Errorf("%q", text)
	}
}

func TestExplanationForPeople(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer adminapi.Explanation
		want   []string
	}{
		"nothing wrong": {adminapi.Explanation{Summary: "Jobs do come."},
			[]string{"Jobs do come.", "Nothing keeps work away"}},
		"two reasons": {adminapi.Explanation{
			Summary: "No jobs can come now.", Place: &adminapi.Place{Rank: 4, Members: 9, Stake: core.LPTTokens(5),
				Last: core.LPTTokens(2)},
			Findings: []adminapi.Finding{
				{Weight: "blocker", Says: "The node is draining.", Code: "Draining", Evidence: []string{"since today"},
					Remedy: "Undo it."},
				{Weight: "hint", Says: "It is late."},
			},
		}, []string{"rank 4 of 9, 5 LPT; the last one has 2 LPT",
			"1. [blocker] The node is draining. (Draining)\n     - since today\n   What to do: Undo it.",
			"2. [hint] It is late.\n", "`tutti help Draining`"}},
	} {
		var b bytes.Buffer
		if err := writeExplanation(&b, &tt.answer); err != nil {
			t.Fatal(err)
		}
		for _, want := range tt.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: %q is not in\n%s", name, want, b.String())
			}
		}
	}
}

func TestExplainWithoutNode(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	status := explainCommand(t.Context(), []string{"-node", "http://127.0.0.1:1"}, &out, &errs)
	if status != command.ExitFailed || !strings.Contains(errs.String(), "NodeUnreachable") {
		t.Errorf("%d %s", status, errs.String())
	}
	errs.Reset()
	if status := explainCommand(t.Context(), []string{"-nonsense"}, &out, &errs); status != command.ExitUsage ||
		!strings.Contains(errs.String(), "usage: tutti doctor explain") {
		t.Errorf("%d %s", status, errs.String())
	}
}
