package endpoints

import (
	"os"
	"testing"

	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
)

// bin is the directory of the programs under test: tutti and tutti_cli.
var bin string

func TestMain(m *testing.M) {
	os.Exit(harness.Main(func(dir string) error {
		bin = dir
		if _, err := harness.Build(dir); err != nil {
			return err
		}
		if _, err := harness.BuildTool(dir); err != nil {
			return err
		}
		_, err := devnet.Binary()
		return err
	}, m.Run))
}
