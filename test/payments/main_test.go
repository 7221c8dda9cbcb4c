package payments

import (
	"flag"
	"os"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
)

var (
	soakFor  = flag.Duration("soak.for", 12*time.Second, "how long the disruptions last")
	soakSeed = flag.Uint64("soak.seed", 1, "seed of the disruptions")

	spendFor = flag.Duration("spend.for", 6*time.Second, "how long clients with keys ask, together")

	overpaidLong = flag.Bool("overpaid.long", false, "with 256 clients and 16 streams at once too")
)

// bin is the directory of the programs under test: tutti, tutti_cli, tutti_devnet.
var bin string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	flag.Parse()
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
