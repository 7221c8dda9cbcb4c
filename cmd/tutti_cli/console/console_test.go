package console

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core/fault"
)

// typed is a console whose input is a text.
func typed(t *testing.T, input string) (*Console, *strings.Builder) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(path, []byte(input), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	var out strings.Builder
	return New(Options{In: f, Out: &out, Menu: true}), &out
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	c, out := typed(t, "\nname\x1b[A \nmaybe\nYES\nn\n9\n2\na\nb\n.\nlast")
	ctx := t.Context()
	want := func(what string, got, want any, err error) {
		t.Helper()
		if err != nil || got != want {
			t.Errorf("%s: %v, %v, want %v", what, got, err, want)
		}
	}
	text, err := c.Ask(ctx, "Name", "standard")
	want("default", text, "standard", err)
	text, err = c.Ask(ctx, "Name", "")
	want("text", text, "name[A", err)
	yes, err := c.Confirm(ctx, "Sure?")
	want("yes", yes, true, err)
	yes, err = c.Confirm(ctx, "Sure?")
	want("no", yes, false, err)
	n, err := c.Choose(ctx, "Which", []string{"one", "two"})
	want("choice", n, 1, err)
	text, err = c.Lines(ctx, "Text")
	want("lines", text, "a\nb", err)
	text, err = c.Ask(ctx, "Last", "")
	want("no line end", text, "last", err)
	if _, err = c.Confirm(ctx, "More?"); !errors.Is(err, fault.ActionDeclined) {
		t.Error(err)
	}
	for _, piece := range []string{"Name (default: standard) > ", "Please answer y or n.", "Sure? [y/N] > ",
		"  1. one\n  2. two\n", "from 1 to 2"} {
		if !strings.Contains(out.String(), piece) {
			t.Errorf("%q is missing in %q", piece, out)
		}
	}
	if c.CanAsk() {
		t.Error("a file can be asked")
	}
}

func TestInterruptedQuestion(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := New(Options{In: r, Out: io.Discard, Menu: true})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Ask(ctx, "Name", ""); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	// The line that comes later belongs to the next question.
	if _, err := w.WriteString("later\n"); err != nil {
		t.Fatal(err)
	}
	if text, err := c.Ask(t.Context(), "Name", ""); text != "later" || err != nil {
		t.Error(text, err)
	}
	if err := errors.Join(w.Close(), r.Close()); err != nil {
		t.Error(err)
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	tests := []struct {
		width int
		want  string
	}{
		{0, "NODE\n  Name     value\n  Address  0x1234567890\n\nPOOL\nID  URI\n0   https://a\n10  b?[2J\n"},
		{20, "NODE\n  Name     value\n  Address\n    0x1234567890\n\nPOOL\nID  URI\n0   https://a\n10  b?[2J\n"},
		{8, "NODE\n  Name\n    value\n  Address\n    0x1234567890\n\nPOOL\n  ID   0\n  URI\n    https://a\n\n  ID\n    " +
			"10\n  URI\n    b?[2J\n"},
	}
	for _, tt := range tests {
		var b strings.Builder
		p := &Page{w: &b, width: tt.width, begun: new(bool)}
		p.Title("NODE")
		p.Row("Name", "value")
		p.Row("Address", "0x1234567890")
		p.Title("POOL")
		p.Table([]string{"ID", "URI"}, [][]string{{"0", "https://a"}, {"10", "b\x1b[2J"}})
		p.Flush()
		if b.String() != tt.want {
			t.Errorf("width %d: got\n%s\nwant\n%s", tt.width, b.String(), tt.want)
		}
	}
}

func TestColor(t *testing.T) {
	t.Parallel()
	if got := Style(true).Bad("x") + Style(false).Good("y"); got != "\x1b[31mx\x1b[0my" {
		t.Errorf("%q", got)
	}
	if got := safe(Style(true).Warn("x")); got != "\x1b[33mx\x1b[0m" {
		t.Errorf("%q", got)
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`( ){0,4}[a-z]{1,12}( [a-z]{1,12}){0,30}`).Draw(t, "text")
		width := rapid.IntRange(20, 100).Draw(t, "width")
		got := Wrap(text, width, "  ")
		if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(text), " ") {
			t.Errorf("words changed: %q", got)
		}
		for _, line := range strings.Split(got, "\n") {
			if columns(line) > width {
				t.Errorf("%q is wider than %d", line, width)
			}
		}
	})
}
