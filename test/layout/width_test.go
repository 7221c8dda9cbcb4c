package layout

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxColumns fits two files side by side on a screen.
const maxColumns = 120

// wideRow is what may be wider on a page: a row of a table, an image, a line that a
// link makes long or that is one command.
var wideRow = regexp.MustCompile("^\\s*(\\||<|!?\\[|- ?!?\\[|`{3})|https?://\\S{40}|^\\s*`[^`]+`[,.:;]?$")

// wideLines returns the numbers of the lines that are too wide. Pages may have wide
// fenced blocks: what programs print is shown as it is.
func wideLines(path, text string) (out []int) {
	page, fenced := strings.HasSuffix(path, ".md"), false
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\n")
		if page && strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		if page && (fenced || wideRow.MatchString(line)) {
			continue
		}
		if utf8.RuneCountInString(line) > maxColumns {
			out = append(out, n)
		}
	}
	return out
}

// narrow are the extensions and names of files that are written by hand. Alert rules and
// the dashboard come from tables in the code, and artifacts from a compiler.
var narrow = map[string]bool{
	".go": true, ".md": true, ".c": true, ".h": true, ".js": true, ".css": true, ".html": true, ".sh": true,
	".proto": true, "Makefile": true,
}

// wideFile may have wide lines, each for a reason.
func wideFile(rel string) bool {
	switch {
	case strings.Contains(rel, "testdata/"), strings.Contains(rel, "/vendor/"):
		return true // recorded bytes, and a library
	case strings.HasPrefix(rel, "deploy/deps/"):
		return wideDeps[filepath.Base(rel)]
	}
	return false
}

// wideDeps are scripts whose text names a folder in the cache of what they fetch or
// build: any change of them makes every machine fetch or build that again.
var wideDeps = map[string]bool{
	"browser.sh": true, "engine.sh": true, "postgres.sh": true, "prometheus.sh": true, "ffmpeg.sh": true,
}

func TestLinesFitAScreen(t *testing.T) {
	t.Parallel()
	files(t, func(path string) {
		rel := filepath.ToSlash(relative(t, path))
		if !narrow[filepath.Ext(path)] && !narrow[filepath.Base(path)] || wideFile(rel) {
			return
		}
		text := read(t, path)
		if generated(text) {
			return
		}
		for _, n := range wideLines(path, text) {
			t.Errorf("%s:%d: over %d columns", rel, n, maxColumns)
		}
	})
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
		{"a.go", "f(`" + wide + "`)\n// `" + wide, 2},
		{"a.go", "f(`\n" + wide + "`)\n" + wide, 2},
		{"a.sh", "```\n" + wide, 1},
		{"Makefile", "\t" + wide[2:], 1},
		{"a.md", "x\n" + wide, 1},
		{"a.md", "| " + wide, 0},
		{"a.md", "```sh\n" + wide + "\n```\n" + wide, 1},
	} {
		if got := wideLines(tt.path, tt.text); len(got) != tt.want {
			t.Errorf("%s %.20q: %v, want %d", tt.path, tt.text, got, tt.want)
		}
	}
}
