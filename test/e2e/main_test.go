// Package e2e runs the real binary over real sockets: the whole path of a segment,
// an operator's mistakes, and what happens when parts of the node die.
package e2e

import (
	"fmt"
	"os"
	"testing"

	"github.com/tuttinode/tutti/test/engine"
	"github.com/tuttinode/tutti/test/harness"
)

// binary is the tutti under test, built once.
var binary string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "tutti-e2e")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if binary, err = harness.Build(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return engine.Main(m)
}
