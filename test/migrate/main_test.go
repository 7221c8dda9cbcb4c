// Package migrate starts tutti as operators of the existing network start their node,
// with their unit files, scripts, environment files and Compose files unchanged, and
// moves from a data directory of the existing node on a real local chain.
package migrate

import (
	"os"
	"testing"

	"github.com/tuttinode/tutti/test/harness"
)

// binary is the node under test.
var binary string

func TestMain(m *testing.M) { os.Exit(harness.Main(build, m.Run)) }

// build takes the program that the environment names, or builds it.
func build(dir string) error {
	if binary = os.Getenv("TUTTI_UNDER_TEST"); binary != "" {
		return nil
	}
	return harness.Node(&binary)(dir)
}
