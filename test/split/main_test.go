package split

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/netlab"
)

// bin is the directory of the programs under test: tutti, tutti_cli.
var bin string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	flag.Parse()
	if err := netlab.Needs(); err != nil {
		fmt.Fprintln(os.Stderr, "SKIPPED: no network of several hosts can be made here:", err)
		return 0
	}
	return harness.Main(build, m.Run)
}

func build(dir string) error {
	bin = dir
	if _, err := harness.Build(dir); err != nil {
		return err
	}
	if _, err := harness.BuildTool(dir); err != nil {
		return err
	}
	_, err := devnet.Binary()
	return err
}
