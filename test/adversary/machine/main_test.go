package machine

import (
	"fmt"
	"os"
	"testing"

	"github.com/tuttinode/tutti/test/harness"
)

// binary is the node under test, tool its tutti_cli.
var binary, tool string

func TestMain(m *testing.M) {
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
