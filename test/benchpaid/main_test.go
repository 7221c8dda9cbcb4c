package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/test/harness"
)

// bin is the folder of the programs under test.
var bin string

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "tutti-benchpaid-test")
	if err == nil {
		defer os.RemoveAll(dir)
		_, err = harness.Build(dir)
	}
	if err == nil {
		bin, err = dir, buildCLI(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func buildCLI(dir string) error {
	cmd := exec.Command("go", "build", "-o", filepath.Join(dir, "tutti_cli"), "github.com/tuttinode/tutti/cmd/tutti_cli")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build tutti_cli: %w\n%s", err, text)
	}
	return nil
}
