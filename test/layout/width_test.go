package layout

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxColumns fits two files beside each other on a screen.
const maxColumns = 120

// wideRow is what may be wider on a page: a row of a table, an image, a line that a
// link or a command makes long.
var wideRow = regexp.MustCompile("^\\s*(\\||<|!?\\[|- ?!?\\[|`{3})|https?://\\S{40}")

// wideLines returns the numbers of the lines that are too wide. What cannot be wrapped
// may be: raw strings of Go, fenced blocks of pages.
func wideLines(path, text string) (out []int) {
	page, fenced := strings.HasSuffix(path, ".md"), false
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\n")
		trimmed := strings.TrimSpace(line)
		verbatim := fenced || page && wideRow.MatchString(line)
		switch comment := strings.HasPrefix(trimmed, "//"); {
		case page && strings.HasPrefix(trimmed, "```"), !page && !comment && strings.Count(line, "`")%2 == 1:
			fenced, verbatim = !fenced, true
		case !page && !comment && strings.Contains(line, "`"):
			verbatim = true
		}
		if !verbatim && utf8.RuneCountInString(line) > maxColumns {
			out = append(out, n)
		}
	}
	return out
}

// generatedPages are written by `make docs` out of tables in the code.
var generatedPages = []string{
	"docs/configuration.md", "docs/troubleshooting.md", "docs/tutti_cli.md", "docs/admin-api.md", "docs/doctor.md",
}

func TestLinesFitAScreen(t *testing.T) {
	t.Parallel()
	found := newBacklog("testdata/wide-left.txt")
	files(t, func(path string) {
		rel, text := relative(t, path), ""
		switch filepath.Ext(path) {
		case ".go":
			if text = read(t, path); generated(text) {
				return
			}
		case ".md":
			if text = read(t, path); withinAny(rel, generatedPages) || strings.Contains(rel, "testdata/") {
				return
			}
		}
		for _, n := range wideLines(path, text) {
			found.addf(rel, "%s:%d: over %d columns", rel, n, maxColumns)
		}
	})
	found.report(t)
}

func TestWideLines(t *testing.T) {
	t.Parallel()
	wide := strings.Repeat("ü", maxColumns+1)
	for _, tt := range []struct {
		path, text string
		want       int
	}{
		{"a.go", wide, 1},
		{"a.go", wide[2:], 0},
		{"a.go", "| " + wide, 1},
		{"a.go", "f(`" + wide + "`)\n// `" + wide, 1},
		{"a.go", "f(`\n" + wide + "`)\n" + wide, 1},
		{"a.md", "x\n" + wide, 1},
		{"a.md", "| " + wide, 0},
		{"a.md", "```sh\n" + wide + "\n```\n" + wide, 1},
	} {
		if got := wideLines(tt.path, tt.text); len(got) != tt.want {
			t.Errorf("%s %.20q: %v, want %d", tt.path, tt.text, got, tt.want)
		}
	}
}
