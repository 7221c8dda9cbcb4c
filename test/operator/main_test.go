// Package operator walks the ways of an orchestrator's operator on a real local
// chain, with the real programs: from an empty keystore to active and rewarded as
// docs/become-an-orchestrator.md describes it, and every problem with the chain that
// operators meet, each with its code and remedy.
package operator

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
)

// bin is the directory of the programs under test: tutti, tutti_cli, tutti_devnet.
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
	chain, err := devnet.Binary()
	if err != nil {
		return err
	}
	return os.Symlink(chain, filepath.Join(dir, "tutti_devnet"))
}
