package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// The composition root stays a list of roles: each is wired in a package below
// cmd/tutti/internal.
const (
	mainFolder = "cmd/tutti"
	// maxMainLines counts the package with its tests.
	maxMainLines = 1500
	// maxMainImports are packages of ours that main imports.
	maxMainImports = 40
	// maxFields are the fields of a struct. A larger one holds more than one thing.
	maxFields = 20
)

func TestMainStaysSmall(t *testing.T) {
	t.Parallel()
	lines, imports := 0, map[string]bool{}
	files(t, func(path string) {
		rel := relative(t, path)
		if filepath.Ext(rel) != ".go" || filepath.ToSlash(filepath.Dir(rel)) != mainFolder {
			return
		}
		source := read(t, path)
		lines += strings.Count(source, "\n")
		if strings.HasSuffix(rel, "_test.go") {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			if strings.HasPrefix(strings.Trim(spec.Path.Value, `"`), module) {
				imports[spec.Path.Value] = true
			}
		}
	})
	t.Logf("%s: %d lines, %d imports of ours", mainFolder, lines, len(imports))
	if lines > maxMainLines {
		t.Errorf("%s has %d lines, over %d: wire a role in its package below %[1]s/internal", mainFolder, lines, maxMainLines)
	}
	if len(imports) > maxMainImports {
		t.Errorf(
			"%s imports %d packages of ours, over %d: hand parts to a role's package",
			mainFolder,
			len(imports),
			maxMainImports,
		)
	}
}

func TestStructsStaySmall(t *testing.T) {
	t.Parallel()
	found := newBacklog("testdata/fields-left.txt")
	files(t, func(path string) {
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return
		}
		source := read(t, path)
		if generated(source) {
			return
		}
		rel := relative(t, path)
		for name, fields := range largeStructs(t, path, source) {
			found.addf(rel, "%s: struct %s has %d fields, over %d", rel, name, fields, maxFields)
		}
	})
	found.report(t)
}

// largeStructs are the named structs of a source with too many fields.
func largeStructs(t *testing.T, path, source string) map[string]int {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	large := map[string]int{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if body, ok := spec.Type.(*ast.StructType); ok {
			if fields := body.Fields.NumFields(); fields > maxFields {
				large[spec.Name.Name] = fields
			}
		}
		return true
	})
	return large
}

func TestLargeStructs(t *testing.T) {
	t.Parallel()
	few := "package a\ntype small struct { x, y int }\n"
	many := "package a\ntype large struct {" + strings.Repeat("_ int\n", maxFields) + "a, b int }\n"
	if got := largeStructs(t, "a.go", few); len(got) != 0 {
		t.Errorf("%v", got)
	}
	if got := largeStructs(t, "a.go", many); got["large"] != maxFields+2 {
		t.Errorf("%v", got)
	}
}
