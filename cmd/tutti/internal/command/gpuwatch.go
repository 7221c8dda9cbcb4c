package command

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/tuttinode/tutti/transcoder/gpus"
	"github.com/tuttinode/tutti/transcoder/nvml"
)

// GPUWatchWord is the hidden command that the node starts itself with to ask the GPUs'
// driver. The driver's library is loaded there alone.
const GPUWatchWord = gpus.Command

// gpuWatchPause is the time between two reports.
const gpuWatchPause = time.Second

// WatchGPUs writes a line about the GPUs every second until its reader is
// gone, or one that says why there is nothing to tell. It knows no configuration, no
// keys and no files.
func WatchGPUs(ctx context.Context, _ []string, stdout, stderr io.Writer) int {
	ticker := time.NewTicker(gpuWatchPause)
	defer ticker.Stop()
	if err := nvml.Watch(ctx, stdout, ticker.C); err != nil {
		fmt.Fprintln(stderr, err)
		return ExitFailed
	}
	return ExitOK
}
