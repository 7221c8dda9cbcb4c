package live

import (
	"os"
	"testing"

	"github.com/tuttinode/tutti/test/harness"
)

// binary is the tutti under test, built once.
var binary string

func TestMain(m *testing.M) { os.Exit(harness.Main(harness.Node(&binary), m.Run)) }
