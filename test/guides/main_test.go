// Package guides does what the guides say: every command of README.md and docs/ is run
// in a sandbox with the real programs, and one that no test knows fails it. What takes
// another machine's help (a cluster, an init system, a GPU) is listed with the reason
// in outside_test.go, and the part of it that is ours is checked all the same.
//
// It does not compare output: docs/become-an-orchestrator.md, whose output is shown, is
// walked by test/operator.
package guides

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
)

// tree is the repository, from here.
const tree = "../.."

// bin is the directory of the programs that the guides name.
var bin string

func TestMain(m *testing.M) { os.Exit(harness.Main(build, m.Run)) }

func build(dir string) error {
	bin = dir
	if _, err := harness.Build(dir); err != nil {
		return err
	}
	if _, err := harness.BuildTool(dir); err != nil {
		return err
	}
	if _, err := harness.BuildBench(dir); err != nil {
		return err
	}
	chain, err := devnet.Binary()
	if err != nil {
		return err
	}
	return os.Symlink(chain, filepath.Join(dir, "tutti_devnet"))
}
