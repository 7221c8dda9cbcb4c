package worker

import (
	"os"
	"testing"

	"github.com/tuttinode/tutti/test/harness"
)

// program is the tutti under test, built once.
var program string

func TestMain(m *testing.M) {
	os.Exit(harness.Main(harness.Node(&program), m.Run))
}
