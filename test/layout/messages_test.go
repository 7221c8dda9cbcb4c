package layout

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestMessagesAreCountedFirst: what others send as a message is read by server/rpc alone, which counts its parts
// first: a message of very many empty parts takes far more memory than it has bytes.
func TestMessagesAreCountedFirst(t *testing.T) {
	t.Parallel()
	found := 0
	files(t, func(path string) {
		rel, err := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		if err != nil || !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") || !within(rel, "server") {
			return
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, read(t, path), parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if named(call.Fun, "rpc", "Unmarshal") {
				found++
			}
			if named(call.Fun, "proto", "Unmarshal") && !within(rel, "server/rpc") {
				t.Errorf("%s reads a message without rpc.Unmarshal", set.Position(n.Pos()))
			}
			return true
		})
	})
	if found < 5 {
		t.Fatalf("found only %d messages", found)
	}
}
