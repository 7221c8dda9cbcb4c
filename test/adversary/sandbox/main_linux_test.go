package sandbox

import (
	"os"
	"testing"

	"github.com/tuttinode/tutti/test/harness"
)

// program is the tutti under test, built once.
var program string

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == withholdArg {
		os.Exit(withhold(os.Args[2], os.Args[3:]))
	}
	os.Exit(harness.Main(harness.Node(&program), m.Run))
}
