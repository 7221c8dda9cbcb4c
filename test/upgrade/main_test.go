// Package upgrade runs the real binary under load while its configuration is read
// anew, while it drains, and while another process takes its place: no segment may
// fail and no answer may break off.
//
// It is no test of the parts, which have theirs next to the code.
package upgrade

import (
	"encoding/gob"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/engine"
	"github.com/tuttinode/tutti/test/harness"
)

// binary is the tutti under test, tool its tutti_cli, built once.
var binary, tool string

func TestMain(m *testing.M) {
	if _, ok := os.LookupEnv("NODE_HANDOVER"); ok {
		os.Exit(comeNotUp())
	}
	flag.Parse()
	// Most of these tests wait for streams in real time, whatever the machine can do.
	if err := flag.Set("test.parallel", "5"); err != nil {
		panic(err)
	}
	os.Exit(harness.Main(build, func() int { return engine.Main(m) }))
}

// comeNotUp plays a program that takes the place, hangs for longer than a watchdog waits
// and then fails.
func comeNotUp() int {
	line := os.NewFile(3, "predecessor")
	if err := gob.NewEncoder(line).Encode("waiting 2"); err != nil {
		return 2
	}
	_, _ = line.Read(make([]byte, 1))
	<-time.After(watchdog + 2*time.Second)
	return 1
}

func startWith(t *testing.T, env []string, files []*os.File, args ...string) *harness.Process {
	t.Helper()
	return harness.StartWith(t, "/bin/sh", env, files, args...)
}

func build(dir string) (err error) {
	if binary, err = harness.Build(dir); err != nil {
		return err
	}
	if tool, err = harness.BuildTool(dir); err == nil {
		_, err = devnet.Binary()
	}
	return err
}
