package models_test

import (
	"os"
	"testing"

	"github.com/tuttinode/tutti/test/engine"
	"github.com/tuttinode/tutti/test/harness"
)

// binary is the tutti under test, built once.
var binary string

func TestMain(m *testing.M) {
	os.Exit(harness.Main(harness.Node(&binary), func() int { return engine.Main(m) }))
}
