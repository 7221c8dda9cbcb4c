package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// calling are the folders whose programs call others for as long as they run.
var calling = []string{"ai", "eth", "server"}

// What is called may answer with a header of 10 MB, which gRPC and net/http read whole
// and keep in many times its length, unless they are given a bound.
func TestHeadersOfAnswersAreBounded(t *testing.T) {
	t.Parallel()
	found := 0
	files(t, func(path string) {
		rel, err := filepath.Rel(root, path)
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			!withinAny(filepath.ToSlash(rel), calling) {
			return
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, read(t, path), parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			makes, bounded := caller(n)
			if makes {
				found++
			}
			if makes && !bounded {
				t.Errorf("%s calls others without a bound for the headers of their answers", set.Position(n.Pos()))
			}
			return true
		})
	})
	if found < 15 {
		t.Fatalf("found only %d clients", found)
	}
}

// caller reports whether a node makes something that calls others, and whether with a
// bound for headers.
func caller(n ast.Node) (makes, bounded bool) {
	switch n := n.(type) {
	case *ast.CompositeLit:
		if !named(n.Type, "http", "Transport") {
			return named(n.Type, "http", "Client") && len(n.Elts) == 0, false
		}
		for _, e := range n.Elts {
			field, _ := e.(*ast.KeyValueExpr)
			if key, ok := field.Key.(*ast.Ident); ok && key.Name == "MaxResponseHeaderBytes" {
				return true, true
			}
		}
		return true, false
	case *ast.CallExpr:
		if !named(n.Fun, "grpc", "NewClient") {
			return false, false
		}
		for _, a := range n.Args {
			if option, ok := a.(*ast.CallExpr); ok && named(option.Fun, "grpc", "WithMaxHeaderListSize") {
				return true, true
			}
		}
		return true, false
	case *ast.SelectorExpr:
		return named(n, "http", "DefaultClient") || named(n, "http", "DefaultTransport"), false
	}
	return false, false
}

// named reports whether an expression is a package's name.
func named(e ast.Expr, pkg, name string) bool {
	s, ok := e.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != name {
		return false
	}
	p, ok := s.X.(*ast.Ident)
	return ok && p.Name == pkg
}
