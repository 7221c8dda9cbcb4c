package layout

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestBuildsForWindows: whatever of the programs needs no C compiles for Windows. What
// needs C does so with `make windows`, whose compiler is no part of every build.
func TestBuildsForWindows(t *testing.T) {
	t.Parallel()
	list := exec.Command("go", "list", "-e", "-deps", "-json=ImportPath,Standard,CgoFiles,Deps", "./cmd/tutti",
		"./cmd/tutti_cli", "./cmd/tutti_bench")
	list.Dir = root
	// Go looks at which files need C only where C may be used.
	list.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=1")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	plain := withoutC(t, string(out))
	if len(plain) < 100 {
		t.Fatalf("only %d packages need no C: the rule is out of date", len(plain))
	}
	build := exec.Command("go", append([]string{"build"}, plain...)...)
	build.Dir = root
	build.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0", "CC=", "CXX=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("what needs no C does not compile for Windows:\n%s", out)
	}
}

// withoutC are our packages that neither use C nor what uses it. Go's own manage without.
func withoutC(t *testing.T, listed string) (plain []string) {
	t.Helper()
	type listedPackage struct {
		ImportPath     string
		Standard       bool
		CgoFiles, Deps []string
	}
	var ours []listedPackage
	c := map[string]bool{}
	for in := json.NewDecoder(strings.NewReader(listed)); ; {
		var p listedPackage
		err := in.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		c[p.ImportPath] = len(p.CgoFiles) > 0 && !p.Standard && !optionalC[p.ImportPath]
		if strings.HasPrefix(p.ImportPath, module) {
			ours = append(ours, p)
		}
	}
	for _, p := range ours {
		needs := c[p.ImportPath]
		for _, d := range p.Deps {
			needs = needs || c[d]
		}
		if !needs {
			plain = append(plain, p.ImportPath)
		}
	}
	return plain
}

// optionalC are packages of others that have the same in Go for builds without C.
var optionalC = map[string]bool{"github.com/ethereum/go-ethereum/crypto/secp256k1": true}
