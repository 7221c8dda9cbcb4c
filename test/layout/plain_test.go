package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// plainWords are words that comments and texts of shipped code do not use, and what to
// write instead. Peers, callers and goroutines are things; only people are who.
var plainWords = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)\b(who|whom|whoever)\b`), "the caller, the peer, the account"},
	{regexp.MustCompile(`(?i)\b(nobody|somebody|anybody|everybody|everyone)\b`), "no client, every caller"},
	{regexp.MustCompile(`(?i)\banew\b`), "again"},
	{regexp.MustCompile(`(?i)\bof late\b`), "recently"},
	{regexp.MustCompile(`(?i)\b(works?|jobs?|requests?) in hand\b`), "in progress"},
	{regexp.MustCompile(`(?i)\bso for\b`), "for (a time)"},
	{regexp.MustCompile(`(?i)\bsay(s)? so\b`), "reports it"},
	{regexp.MustCompile(`(?i)\b(is|are|was|were) told (of|about|that|which|the)\b`), "is notified, gets"},
	{regexp.MustCompile(`(?i)\bat a look\b`), "overview"},
	{regexp.MustCompile(`(?i)\blasting troubles?\b`), "problem"},
	{regexp.MustCompile(`(?i)\b(judges|judged)\b`), "checks, classifies"},
}

// person is followed by who: people are not things. The text before is taken away.
var person = regexp.MustCompile(`(?i)\b(operators?|users?|people|person|engineers?|readers?),? who\b`)

// unplain returns the first word of a text that is not plain, and what to write instead.
func unplain(text string) (word, instead string) {
	text = person.ReplaceAllString(strings.Join(strings.Fields(strings.ReplaceAll(text, "\n//", "\n")), " "), "")
	for _, w := range plainWords {
		if found := w.pattern.FindString(text); found != "" {
			return found, w.instead
		}
	}
	return "", ""
}

func TestTextsArePlain(t *testing.T) {
	t.Parallel()
	files(t, func(path string) {
		rel := filepath.ToSlash(relative(t, path))
		if filepath.Ext(path) != ".go" || strings.HasSuffix(rel, "_test.go") || strings.HasPrefix(rel, "test/") {
			return
		}
		source := read(t, path)
		if generated(source) {
			return
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, source, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		check := func(at token.Pos, text string) {
			if word, instead := unplain(text); word != "" {
				t.Errorf("%s:%d: %q: write %s", rel, set.Position(at).Line, word, instead)
			}
		}
		for _, group := range file.Comments {
			check(group.Pos(), "\n"+sourceOf(group))
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				check(lit.Pos(), lit.Value)
			}
			return true
		})
	})
}

func sourceOf(group *ast.CommentGroup) string {
	lines := make([]string, len(group.List))
	for i, c := range group.List {
		lines[i] = c.Text
	}
	return strings.Join(lines, "\n")
}

func TestUnplainTextsAreFound(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"// the peer who asks":                    "who",
		"// an operator who asks":                 "",
		"// an operator\n// who asks":             "",
		"// nobody waits":                         "nobody",
		"the work in hand":                        "work in hand",
		"// the table\n// says so":                "says so",
		"it is told of streams, which are told":   "is told of",
		"whole words, whose, wholly, anewly":      "",
		"the runners that are told apart by name": "",
	} {
		if got, _ := unplain("\n" + text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
