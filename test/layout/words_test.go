package layout

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// taboo is words that have no place in the tree. Patterns are spelled in pieces
// so that this file does not hold them itself.
type taboo struct {
	pattern *regexp.Regexp
	why     string
	// only are the extensions that are looked at; nil is every text.
	only []string
}

var code = []string{".go", ".sh", ".js", ".css", ".proto", ".c", ".h"}

var taboos = []taboo{
	{regexp.MustCompile(`(^|[^\w.~])/(wo` + `rk|ro` + `ot)/\w`), "a path of one machine", nil},
	{regexp.MustCompile(`(?i)\b(proxy\.go` + `lang|deb\.de` + `bian|registry\.n` + `pm)`),
		"the host of a package registry; machines name their own", nil},
	{regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|X` + `XX|HA` + `CK)\b`), "unfinished work: finish it, or write an issue",
		nil},
	{regexp.MustCompile(`(?i)\b(for n` + `ow|not impl` + `emented|not yet impl` + `emented)\b`),
		"unfinished work: refuse by a named fault, or do it", code},
	{regexp.MustCompile(`(?i)\bplace` + `holder\b[^=]`), "unfinished work", []string{".go", ".sh"}},
	{regexp.MustCompile(`(?i)\bst` + `ubs?\b`), "unfinished work", []string{".go", ".sh"}},
	{regexp.MustCompile(`\btime\.Sl` + `eep\(`), "wait for a condition or a timer, never for time to pass",
		[]string{".go"}},
	{regexp.MustCompile(`\blog\.Fa` + `tal|\bglog\.(Fa` + `tal|Ex` + `it)|\bos\.Ex` + `it\(`),
		"only main ends the process", []string{".go"}},
	{regexp.MustCompile(`(?i)\bgo-live` + `peer/`), "another project's import path", []string{".go"}},
}

// mayExit are the files that end the process: mains, and the helper processes of
// tests.
func mayExit(path, source string) bool {
	return strings.HasSuffix(path, "_test.go") || strings.Contains(source, "\npackage main\n") ||
		strings.HasPrefix(source, "package main\n")
}

// finds returns the taboos in a text, with their lines. Most texts hold none,
// which one look at the whole of it tells.
func finds(path, text string) (out []string) {
	for _, w := range taboos {
		if w.only != nil && !slices.Contains(w.only, filepath.Ext(path)) || !w.pattern.MatchString(text) {
			continue
		}
		for n, line := range strings.Split(text, "\n") {
			m := w.pattern.FindString(line)
			if m == "" || strings.Contains(m, "os.") && mayExit(path, text) {
				continue
			}
			out = append(out, path+":"+strconv.Itoa(n+1)+": "+strings.TrimSpace(m)+": "+w.why)
		}
	}
	return out
}

func TestWords(t *testing.T) {
	t.Parallel()
	files(t, func(path string) {
		text := read(t, path)
		if !utf8.ValidString(text) || strings.Contains(text, "\x00") || generated(text) {
			return
		}
		for _, f := range finds(path, text) {
			t.Error(f)
		}
	})
}

func TestWordsAreFound(t *testing.T) {
	t.Parallel()
	tests := []struct {
		path, text string
		want       int
	}{
		{"a.md", "see /wo" + "rk/x", 1},
		{"a.md", "the path ~/wo" + "rk/x and https://h/wo" + "rk/x", 0},
		{"a.go", "// TO" + "DO: this", 1},
		{"a.go", "// XX" + "XL and todos", 0},
		{"a.go", "// a st" + "ub, for n" + "ow", 2},
		{"a.html", `<input place` + `holder="x">`, 0},
		{"a.go", "time.Sl" + "eep(1)", 1},
		{"a.go", "package a\nos.Ex" + "it(1)", 1},
		{"a.go", "package main\nos.Ex" + "it(1)", 0},
		{"a.go", "log.Fa" + "talf(x)", 1},
		{"a.go", "ordinary words", 0},
	}
	for _, tt := range tests {
		if got := finds(tt.path, tt.text); len(got) != tt.want {
			t.Errorf("%q: %q, want %d", tt.text, got, tt.want)
		}
	}
}
