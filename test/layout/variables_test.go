package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// State belongs to an object, so that two of it can live in one process and tests run
// concurrently. A package variable that remains is an error, is embedded, or says that it is
// read-only.
func TestPackageVariablesAreReadOnly(t *testing.T) {
	t.Parallel()
	found, lines := 0, 0
	files(t, func(path string) {
		rel := relative(t, path)
		if filepath.Ext(rel) != ".go" || strings.HasSuffix(rel, "_test.go") || strings.HasPrefix(rel, "test/") {
			return
		}
		source := read(t, path)
		lines += strings.Count(source, "\n")
		if generated(source) {
			return
		}
		all, unmarked := packageVariables(t, path, source)
		found += all
		for _, name := range unmarked {
			t.Errorf("%s: package variable %s: make it a function or a field, or end its comment with \"Read-only.\"",
				rel, name)
		}
	})
	t.Logf("%d read-only package variables in %d lines", found, lines)
}

// packageVariables counts the package variables of a source, without errors, embedded files
// and checks of interfaces, and names those that do not say that they are read-only.
func packageVariables(t *testing.T, path, source string) (all int, unmarked []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.VAR {
			continue
		}
		for _, s := range group.Specs {
			spec, ok := s.(*ast.ValueSpec)
			if !ok || embedded(group.Doc, spec.Doc) {
				continue
			}
			text := strings.ToLower(group.Doc.Text() + spec.Doc.Text() + spec.Comment.Text())
			for _, name := range spec.Names {
				if name.Name == "_" || strings.HasPrefix(strings.ToLower(name.Name), "err") {
					continue
				}
				if all++; !strings.Contains(text, "read-only") {
					unmarked = append(unmarked, name.Name)
				}
			}
		}
	}
	return all, unmarked
}

// embedded reports whether a comment has the directive of a file that is part of the program.
func embedded(docs ...*ast.CommentGroup) bool {
	for _, doc := range docs {
		if doc == nil {
			continue
		}
		for _, c := range doc.List {
			if strings.HasPrefix(c.Text, "//go:embed ") {
				return true
			}
		}
	}
	return false
}

func TestPackageVariables(t *testing.T) {
	t.Parallel()
	all, unmarked := packageVariables(t, "a.go", `package a

var errLate = errors.New("late")

var _ io.Reader = (*a)(nil)

//go:embed a.txt
var text string

// table is read. Read-only.
var table = []int{1}

var (
	count int
	// b is too. Read-only.
	b int
)
`)
	if all != 3 || len(unmarked) != 1 || unmarked[0] != "count" {
		t.Errorf("%d variables, %v unmarked", all, unmarked)
	}
}
