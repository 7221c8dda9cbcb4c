package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// journeyStep is a row of a journey: its second cell names a function, `server/gateway.New`
// or `pm.Checker.Read`.
var journeyStep = regexp.MustCompile("(?m)^\\| [^|`]+ \\| `([a-z0-9_/]+)\\.([A-Za-z0-9_.]+)` \\|")

// functions returns the functions of a package by name, methods as Type.Method.
func functions(t *testing.T, dir string) map[string]bool {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(root, dir))
	if err != nil {
		t.Error(err)
		return nil
	}
	out := map[string]bool{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		path := filepath.Join(root, dir, e.Name())
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				out[receiver(f)+f.Name.Name] = true
			}
		}
	}
	return out
}

// receiver is a method's type with a dot, without pointer and type parameters.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	e := f.Recv.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.Name + "."
		default:
			return ""
		}
	}
}

// The journeys of docs/architecture.md lead to functions that exist.
func TestJourneysLeadToFunctions(t *testing.T) {
	t.Parallel()
	page := read(t, filepath.Join(root, "docs", "architecture.md"))
	_, journeys, ok := strings.Cut(page, "\n## Journeys\n")
	if !ok {
		t.Fatal("docs/architecture.md has no section Journeys")
	}
	known, steps := map[string]map[string]bool{}, 0
	for _, m := range journeyStep.FindAllStringSubmatch(journeys, -1) {
		steps++
		dir, name := m[1], m[2]
		if known[dir] == nil {
			known[dir] = functions(t, dir)
		}
		if !known[dir][name] {
			t.Errorf("docs/architecture.md: %s has no function %s: write its new package or name", dir, name)
		}
	}
	if rows := strings.Count(journeys, "\n| ") - strings.Count(journeys, "\n| Step |"); steps < 30 || steps != rows {
		t.Errorf("%d steps name a function, of %d rows", steps, rows)
	}
	if lines := strings.Count(page, "\n"); lines > 160 {
		t.Errorf("docs/architecture.md has %d lines: three screens hold 160", lines)
	}
}
