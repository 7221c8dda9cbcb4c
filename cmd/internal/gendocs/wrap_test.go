package main

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWrapPage(t *testing.T) {
	t.Parallel()
	long := strings.TrimSpace(strings.Repeat("wörd ", 40))
	code := "`" + strings.TrimSpace(strings.Repeat("a b ", 20)) + "`"
	for _, tt := range []struct {
		name, page string
		lines      int
	}{
		{"prose", long + "\n", 2},
		{"a list", "- " + long + "\n", 2},
		{"a table", "| " + long + " |\n", 1},
		{"a heading", "# " + long + "\n", 1},
		{"a fence", "```\n" + long + "\n```\n", 3},
		{"code by indentation", "    " + long + "\n", 1},
		{"short", "one\ntwo\n", 2},
		{"a code span stays whole", strings.Repeat("x ", 50) + code + " end\n", 2},
		{"no list begins by a break", strings.Repeat("x ", 60) + "- y\n", 2},
	} {
		got := wrapPage(tt.page)
		if n := strings.Count(got, "\n"); n != tt.lines {
			t.Errorf("%s: %d lines, want %d:\n%s", tt.name, n, tt.lines, got)
		}
		if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(tt.page), " ") {
			t.Errorf("%s: the words changed:\n%s", tt.name, got)
		}
		if strings.Contains(tt.name, "span") && !strings.Contains(got, code) {
			t.Errorf("%s:\n%s", tt.name, got)
		}
		if !strings.HasPrefix(tt.page, "- ") && strings.Contains(got, "\n- ") {
			t.Errorf("%s: a list begins:\n%s", tt.name, got)
		}
		for line := range strings.Lines(got) {
			// The line break counts, and a hyphen that must not begin a line.
			if tt.lines == 2 && utf8.RuneCountInString(line) > pageColumns+3 {
				t.Errorf("%s: a line is %d wide", tt.name, utf8.RuneCountInString(line))
			}
		}
	}
}
