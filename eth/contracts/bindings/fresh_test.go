package bindings_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi/abigen"
)

// order is one generate line of doc.go.
type order struct{ abi, pkg, typ, out string }

func orders(t *testing.T) (all []order) {
	t.Helper()
	source, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var common []string // of all lines
	for line := range strings.Lines(string(source)) {
		line = strings.TrimSpace(line)
		if c, ok := strings.CutPrefix(line, "//go:generate -command bind go tool abigen "); ok {
			common = strings.Fields(c)
			continue
		}
		rest, ok := strings.CutPrefix(line, "//go:generate bind ")
		if !ok {
			continue
		}
		var o order
		flags := flag.NewFlagSet("abigen", flag.ContinueOnError)
		flags.Bool("v2", false, "")
		flags.StringVar(&o.abi, "abi", "", "")
		flags.StringVar(&o.pkg, "pkg", "", "")
		flags.StringVar(&o.typ, "type", "", "")
		flags.StringVar(&o.out, "out", "", "")
		if err := flags.Parse(append(common[:len(common):len(common)], strings.Fields(rest)...)); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, o)
	}
	return all
}

// The tool is the same library behind flags; calling it here does not need the
// tool built.
func TestBindingsAreFresh(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	interfaces, err := filepath.Glob("../abi/*.json")
	if err != nil {
		t.Fatal(err)
	}
	all := orders(t)
	if len(all) != len(interfaces) || len(all) == 0 {
		t.Fatalf("%d generate lines for %d interfaces", len(all), len(interfaces))
	}
	for _, o := range all {
		definition, err := os.ReadFile(o.abi)
		if err != nil {
			t.Fatal(err)
		}
		code, err := abigen.BindV2([]string{o.typ}, []string{string(definition)}, []string{""}, o.pkg, nil, nil)
		if err != nil {
			t.Fatalf("%s: %v", o.typ, err)
		}
		fresh := filepath.Join(dir, o.out)
		if err := os.WriteFile(fresh, []byte(code), 0o600); err != nil {
			t.Fatal(err)
		}
		compare(t, fresh, o.out)
	}
}

func compare(t *testing.T, fresh, committed string) {
	t.Helper()
	want, err := os.ReadFile(fresh)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(committed)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s is not what the interface gives: run go generate ./eth/contracts/bindings", committed)
	}
}
