// Package moving starts tutti as operators of the existing network start their node,
// with their unit files, scripts, environment files and Compose files unchanged, and
// moves from a data directory of the existing node on a real local chain.
package moving

import (
	"fmt"
	"os"
	"testing"

	"github.com/tuttinode/tutti/test/harness"
)

// binary is the node under test.
var binary string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "tutti-moving")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if binary = os.Getenv("TUTTI_UNDER_TEST"); binary != "" {
		return m.Run()
	}
	if binary, err = harness.Build(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}
