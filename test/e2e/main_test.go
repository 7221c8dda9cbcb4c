// Package e2e runs the real binary over real sockets: the whole path of a segment,
// an operator's mistakes, and what happens when parts of the node die.
package e2e

import (
	"os"
	"testing"

	"github.com/tuttinode/tutti/test/engine"
	"github.com/tuttinode/tutti/test/harness"
)

// binary is the tutti under test, built once.
var binary string

func TestMain(m *testing.M) {
	if os.Getenv("LIVE_PROGRAM") != "" {
		liveProgram() // as a managed live runner
	}
	os.Exit(harness.Main(harness.Node(&binary), func() int { return engine.Main(m) }))
}
