package adversary

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const (
	root = "../.."
	page = root + "/docs/security.md"
	// heading is the first cell of every table that lists promises.
	heading = "| Promise |"
)

// A row's second cell has folders, each followed by the tests in it:
// `test/adversary/key`: `TestA`, `TestB`; `pm`: `TestC`.
var code = regexp.MustCompile("`([^`]+)`")

// promise is a row of the page.
type promise struct {
	text string
	// tests by folder.
	tests map[string][]string
}

// TestPromisesAreHeld: every promise of docs/security.md names tests that exist, and
// every test of an attacker holds one of them.
func TestPromisesAreHeld(t *testing.T) {
	t.Parallel()
	promises := readPromises(t)
	if len(promises) < 20 {
		t.Fatalf("%d promises were read; the page has lost its tables, or this test its eyes", len(promises))
	}
	named := make(map[string]bool)
	for _, p := range promises {
		if len(p.tests) == 0 {
			t.Errorf("no test is named for: %s", p.text)
		}
		for dir, names := range p.tests {
			there := testsIn(t, filepath.Join(root, dir))
			for _, name := range names {
				named[dir+" "+name] = true
				if !there[name] {
					t.Errorf("%s has no %s, named for: %s", dir, name, p.text)
				}
			}
		}
	}
	for _, dir := range attackers(t) {
		for name := range testsIn(t, filepath.Join(root, dir)) {
			if !named[dir+" "+name] {
				t.Errorf("%s in %s holds no promise of docs/security.md", name, dir)
			}
		}
	}
}

func readPromises(t *testing.T) (out []promise) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	inside := false
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.HasPrefix(line, heading):
			inside = true
		case !strings.HasPrefix(line, "|"):
			inside = false
		case inside && !strings.HasPrefix(line, "|--"):
			p, err := parsePromise(line)
			if err != nil {
				t.Errorf("%v: %s", err, line)
			}
			out = append(out, p)
		}
	}
	return out
}

func parsePromise(line string) (promise, error) {
	cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
	if len(cells) != 2 {
		return promise{}, fmt.Errorf("%d cells, not 2", len(cells))
	}
	p := promise{text: strings.TrimSpace(cells[0]), tests: make(map[string][]string)}
	dir := ""
	for _, word := range code.FindAllStringSubmatch(cells[1], -1) {
		switch name := word[1]; {
		case !isTest(name):
			dir = name
		case dir == "":
			return p, fmt.Errorf("%s has no folder before it", name)
		default:
			p.tests[dir] = append(p.tests[dir], name)
		}
	}
	return p, nil
}

func isTest(name string) bool {
	return strings.HasPrefix(name, "Test") && name != "TestMain" || strings.HasPrefix(name, "Fuzz")
}

// testsIn are the tests of a folder's files, for whichever system they are built.
func testsIn(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Errorf("no tests in %s: %v", dir, err)
	}
	out := make(map[string]bool)
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && isTest(f.Name.Name) {
				out[f.Name.Name] = true
			}
		}
	}
	return out
}

// attackers are the suite's folders that have tests.
func attackers(t *testing.T) (out []string) {
	t.Helper()
	const suite = "test/adversary"
	err := filepath.WalkDir(filepath.Join(root, suite), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if dir = filepath.ToSlash(dir); err == nil && dir != suite && (len(out) == 0 || out[len(out)-1] != dir) {
			out = append(out, dir)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestParsePromise(t *testing.T) {
	t.Parallel()
	p, err := parsePromise("| a sentence | `pm`: `TestA`, `FuzzB`; `test/x`: `TestC` |\n")
	if err != nil || p.text != "a sentence" || len(p.tests["pm"]) != 2 || len(p.tests["test/x"]) != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	for _, bad := range []string{"| a | `TestA` |", "| a | b | c |"} {
		if _, err := parsePromise(bad); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
}
