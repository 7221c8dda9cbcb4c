package machine

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/tuttinode/tutti/test/harness"
)

// binary is the node under test, tool its tutti_cli.
var binary, tool string

// waits is the variable by which this program only waits for its end, as a stranger's program.
const waits = "TUTTI_TEST_WAITS"

func TestMain(m *testing.M) {
	if os.Getenv(waits) != "" {
		end := make(chan os.Signal, 1)
		signal.Notify(end, syscall.SIGTERM)
		<-end
		os.Exit(0)
	}
	dir, err := os.MkdirTemp("", "tutti-machine")
	if err == nil {
		binary, err = harness.Build(dir)
	}
	if err == nil {
		tool, err = harness.BuildTool(dir)
	}
	code := 1
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(code)
}
