package speed_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/libav"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// childArg makes the test program a media worker, which can be counted because its
// environment is the test's choice.
const childArg = "be-a-media-worker"

// benchProgram is the tutti_bench under test, built once.
var benchProgram string

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == childArg {
		if err := worker.Main(context.Background(), mediaEngine); err != nil {
			fmt.Fprintln(os.Stderr, "media worker:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(harness.Main(func(dir string) (err error) {
		benchProgram, err = harness.BuildBench(dir)
		return err
	}, m.Run))
}

func mediaEngine(device string) (transcoder.Engine, error) {
	return libav.New(libav.Options{Device: device, Cores: runtime.NumCPU(), CUDA: &libav.CUDA{}})
}
