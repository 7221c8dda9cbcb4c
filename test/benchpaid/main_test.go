package main

import (
	"fmt"
	"os"
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
		bin = dir
		_, err = harness.BuildTool(dir)
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
