package probe_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"testing"

	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/libav"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// childArg makes the test program a media worker.
const childArg = "be-a-media-worker"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == childArg {
		err := worker.Main(context.Background(), func(device string) (transcoder.Engine, error) {
			o := libav.Options{Device: device, Preset: "ultrafast", Cores: runtime.NumCPU()}
			if worker.ForGPU() {
				o.CUDA = &libav.CUDA{}
			}
			return libav.New(o)
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, "media worker:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
