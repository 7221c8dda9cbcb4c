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

// endOfSentence is a full stop, question mark or exclamation mark before white
// space or the end.
var endOfSentence = regexp.MustCompile(`[.!?][)"']*(\s|$)`)

// abbreviations end in a full stop that ends no sentence.
var abbreviations = strings.NewReplacer("e.g.", "eg", "i.e.", "ie", "etc.", "etc")

// sentences counts the sentences of a comment.
func sentences(comment string) int {
	return len(endOfSentence.FindAllString(abbreviations.Replace(comment), -1))
}

// Every package opens with what it is for, what it is not, and its callers;
// that does not fit in one sentence.
func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	t.Parallel()
	docs := make(map[string]string)
	files(t, func(path string) {
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testdata") {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, read(t, path), parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Error(err)
			return
		}
		docs[filepath.Dir(path)] += packageDoc(file)
	})
	if len(docs) < 15 {
		t.Fatalf("found only %d packages", len(docs))
	}
	for dir, doc := range docs {
		switch n := sentences(doc); {
		case doc == "":
			t.Errorf("%s has no package comment", dir)
		case n < 2:
			t.Errorf("%s: the package comment says too little (what it is for, what it is not, its callers): %q", dir, doc)
		}
	}
}

func packageDoc(file *ast.File) string {
	if file.Doc == nil {
		return ""
	}
	return file.Doc.Text()
}

func TestSentences(t *testing.T) {
	t.Parallel()
	for comment, want := range map[string]int{
		"":                          0,
		"Package x is":              0,
		"Package x.":                1,
		"Version 1.2 of a.go":       0,
		"One. Two (really). Three!": 3,
		"For tables, e.g. rows.":    1,
		"One.\nTwo.":                2,
	} {
		if got := sentences(comment); got != want {
			t.Errorf("%q: %d, want %d", comment, got, want)
		}
	}
}
