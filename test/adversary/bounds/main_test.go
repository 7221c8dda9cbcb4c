package bounds

import (
	"os"
	"testing"

	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
)

// bin is the directory of the programs under test: tutti, tutti_cli, tutti_devnet.
var bin string

// node is the tutti under test.
var node string

func TestMain(m *testing.M) { os.Exit(harness.Main(build, m.Run)) }

func build(dir string) (err error) {
	bin = dir
	if node, err = harness.Build(dir); err != nil {
		return err
	}
	if _, err = harness.BuildTool(dir); err != nil {
		return err
	}
	_, err = devnet.Binary()
	return err
}
