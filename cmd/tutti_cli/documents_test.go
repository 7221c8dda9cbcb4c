package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/cmd/internal/usage"
	"github.com/tuttinode/tutti/cmd/tutti_cli/action"
	"github.com/tuttinode/tutti/core/fault"
)

func TestHelpOfEveryVerb(t *testing.T) {
	t.Parallel()
	o := newTool(t)
	overview := o.ok("help")
	for _, v := range action.Table() {
		if !strings.Contains(overview, "  "+v.Name+" ") {
			t.Errorf("help does not list %s", v.Name)
		}
		words := v.Words()
		help := o.ok(append([]string{"help"}, words...)...)
		if !strings.HasPrefix(help, "usage: tutti_cli "+v.Name) || !strings.Contains(help, v.Short) {
			t.Errorf("%s: %s", v.Name, help)
		}
		for _, f := range v.Fields {
			if !strings.Contains(help, "--"+f.Name) {
				t.Errorf("%s: help does not say --%s", v.Name, f.Name)
			}
		}
		if v.Name != "help" {
			if other := o.ok(append(slices.Clone(words), "--help")...); other != help {
				t.Errorf("%s --help: %s", v.Name, other)
			}
		}
		if v.Result != nil {
			o.ok(append([]string{"schema"}, words...)...)
		}
	}
	o.ok("--help")
	o.ok("--version")
	if out := o.ok("help", "stake"); !strings.Contains(out, "tutti_cli stake bond: ") {
		t.Error(out)
	}
	o.ok("schema", "error")
}

// The texts of codes that this program refuses with exist.
func TestCodesExist(t *testing.T) {
	t.Parallel()
	for code := range statuses {
		if _, ok := fault.Lookup(fault.Code(code)); !ok {
			t.Errorf("%s is in no table", code)
		}
	}
}

var mention = regexp.MustCompile("`tutti_cli ([a-z][a-z -]*)")

// What the table of conditions tells operators to run exists.
func TestRemediesNameVerbs(t *testing.T) {
	t.Parallel()
	for _, row := range fault.Table() {
		for _, m := range mention.FindAllStringSubmatch(row.Remedy, -1) {
			if v, _ := action.Table().Find(strings.Fields(m[1])); v == nil && m[1] != "help VERB" {
				t.Errorf("%s: there is no %q", row.Code, m[0])
			}
		}
	}
}

// complete is what a shell's script is offered behind a line.
func complete(t *testing.T, line string) []string {
	t.Helper()
	o := newTool(t)
	o.node = nil
	status, out, errs := o.run(append([]string{usage.CompleteNamesWord}, strings.Split(line, " ")[1:]...)...)
	if status != exitOK {
		t.Fatalf("%q: status %d: %s", line, status, errs)
	}
	return strings.Fields(out)
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	tests := []struct {
		line      string
		want, not string
	}{
		{"tutti_cli sta", "status stake", "node"},
		{"tutti_cli --json stake ", "bond unbond rebond withdraw claim status locks", "node"},
		{"tutti_cli stake bond --a", "--amount --allow-unusual --accessible", "--to"},
		{"tutti_cli --wait ", "submitted mined final", "status"},
		{"tutti_cli completion ", "bash zsh fish", "status"},
		{"tutti_cli orchestrator activate --re", "--reward-cut", "--json"},
		{"tutti_cli round i", "initialize", "status"},
	}
	for _, tt := range tests {
		got := complete(t, tt.line)
		for _, w := range strings.Fields(tt.want) {
			if !slices.Contains(got, w) {
				t.Errorf("%q offers %q and not %s", tt.line, got, w)
			}
		}
		if slices.Contains(got, tt.not) {
			t.Errorf("%q offers %s", tt.line, tt.not)
		}
	}
}

// The scripts can be read by their shells.
func TestCompletionScripts(t *testing.T) {
	t.Parallel()
	for shell, check := range map[string]string{"bash": "-n", "zsh": "-n", "fish": "--no-execute"} {
		if _, err := exec.LookPath(shell); err != nil {
			continue
		}
		path := filepath.Join(t.TempDir(), shell)
		if err := os.WriteFile(path, []byte(newTool(t).ok("completion", shell)), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(shell, check, path).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", shell, err, out)
		}
	}
}
