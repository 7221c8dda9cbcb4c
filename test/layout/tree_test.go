package layout

import (
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// root is the top of the tree, seen from this package's directory.
const root = "../.."

// listed asks the Go tool for our packages as they are shipped: with cgo, which
// is only read about, not compiled.
func listed(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,Deps", "./...")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var packages []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath    string
			Imports, Deps []string
		}
		if err := dec.Decode(&p); err == io.EOF {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, pkg{path: short(p.ImportPath), imports: shorten(p.Imports), deps: shorten(p.Deps)})
	}
}

func short(path string) string { return strings.TrimPrefix(path, module) }

func shorten(paths []string) []string {
	for i := range paths {
		paths[i] = short(paths[i])
	}
	return paths
}

// files calls f for every file of the tree that is ours to keep in order: not
// what is built, and not what others wrote.
func files(t *testing.T, f func(path string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch name := d.Name(); {
			case name == ".git", name == "vendor", name == "node_modules", filepath.Dir(path) == root &&
				(name == "bin" || name == "shared"):
				return filepath.SkipDir
			}
			return nil
		}
		if d.Type().IsRegular() {
			f(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// generated reports whether a tool wrote the Go source.
func generated(source string) bool {
	for line := range strings.Lines(source) {
		if strings.HasPrefix(line, "// Code generated ") && strings.HasSuffix(strings.TrimSpace(line), " DO NOT EDIT.") {
			return true
		}
		if strings.HasPrefix(line, "package ") {
			return false
		}
	}
	return false
}
