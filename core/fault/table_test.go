package fault_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
)

// declaredCodes reads the package's source for every constant of type Code, so
// that a code cannot be added without a row.
func declaredCodes(t *testing.T) map[fault.Code]string {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	codes := make(map[fault.Code]string)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for code, name := range codesIn(t, file) {
			if other, twice := codes[code]; twice {
				t.Errorf("%s and %s are both spelled %q", name, other, code)
			}
			codes[code] = name
		}
	}
	return codes
}

func codesIn(t *testing.T, file *ast.File) map[fault.Code]string {
	t.Helper()
	codes := make(map[fault.Code]string)
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.CONST {
			continue
		}
		for _, spec := range gen.Specs {
			value := spec.(*ast.ValueSpec)
			if typ, ok := value.Type.(*ast.Ident); !ok || typ.Name != "Code" {
				continue
			}
			for i, name := range value.Names {
				lit, ok := value.Values[i].(*ast.BasicLit)
				if !ok {
					t.Errorf("%s is not a plain string", name.Name)
					continue
				}
				s, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				codes[fault.Code(s)] = name.Name
			}
		}
	}
	return codes
}

func TestEveryCodeHasARow(t *testing.T) {
	t.Parallel()
	codes := declaredCodes(t)
	if len(codes) < 20 {
		t.Fatalf("found only %d codes in the source", len(codes))
	}
	for code, name := range codes {
		if _, ok := fault.Lookup(code); !ok {
			t.Errorf("%s (%q) has no row in the table: add its row below the constant", name, code)
		}
	}
	for _, row := range fault.Table() {
		if _, ok := codes[row.Code]; !ok {
			t.Errorf("the row %q belongs to no declared code", row.Code)
		}
	}
}

func TestEveryRowIsComplete(t *testing.T) {
	t.Parallel()
	seen := make(map[fault.Code]bool)
	for _, row := range fault.Table() {
		if seen[row.Code] {
			t.Errorf("%s has two rows", row.Code)
		}
		seen[row.Code] = true
		for name, text := range map[string]string{"cause": row.Cause, "remedy": row.Remedy} {
			if len(text) < 10 || !strings.HasSuffix(text, ".") {
				t.Errorf("%s: the %s is not a sentence: %q", row.Code, name, text)
			}
		}
		if strings.Contains(row.Class.String(), "unknown") {
			t.Errorf("%s has no class", row.Code)
		}
		if strings.ContainsAny(row.Cause+row.Remedy+row.Symptom+row.Wire, "\n\t") {
			t.Errorf("%s: a text holds a line break", row.Code)
		}
	}
}

func TestBriefTokens(t *testing.T) {
	t.Parallel()
	// Operators search for these words; they must lead to a row.
	for _, word := range []string{
		"OrchestratorCapped", "no devices", "command not found", "CUDA library error",
		"did not match discovered address", "8935 closed", "no new segments", "context deadline exceeded",
	} {
		found := false
		for _, row := range fault.Table() {
			all := string(row.Code) + row.Symptom + row.Cause
			found = found || strings.Contains(all, word)
		}
		if !found {
			t.Errorf("no row speaks of %q", word)
		}
	}
}

func TestLookupOfUnknown(t *testing.T) {
	t.Parallel()
	row, ok := fault.Lookup("NeverHeardOfIt")
	if ok || row.Code != fault.Unexpected {
		t.Fatalf("got %v, %v", row.Code, ok)
	}
}
