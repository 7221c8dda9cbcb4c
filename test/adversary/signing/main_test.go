package signing

import (
	"os"
	"testing"

	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
)

// binary is the program under test.
var binary string

func TestMain(m *testing.M) { os.Exit(harness.Main(build, m.Run)) }

func build(dir string) error {
	if err := harness.Node(&binary)(dir); err != nil {
		return err
	}
	_, err := devnet.Binary()
	return err
}
