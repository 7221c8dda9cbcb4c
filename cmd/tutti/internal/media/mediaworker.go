package media

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/libav"
	"github.com/tuttinode/tutti/transcoder/worker"
	"github.com/tuttinode/tutti/transcoder/worker/sandbox"
)

// workerStart is how long a media worker may take until it is ready.
const workerStart = 30 * time.Second

// StartWorker starts the media worker of the CPU.
func StartWorker(
	ctx context.Context, cfg *config.Config, log *slog.Logger, recorder core.Recorder,
) (*worker.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, workerStart)
	defer cancel()
	o := options(cfg, log, recorder)
	o.Device = "cpu"
	return worker.Start(ctx, o)
}

// reportSandbox reports the missing restrictions of a media worker as a health condition.
func reportSandbox(board *health.Board, client *worker.Client) {
	degraded := client.Degraded()
	for _, code := range []fault.Code{fault.SandboxOpen, fault.SandboxDegraded} {
		var err error
		if degraded != nil && fault.CodeOf(degraded) == code {
			err = degraded
		}
		board.Report(health.Key{Code: code, About: client.Device()}, err)
	}
}

// options returns those of every media worker.
func options(cfg *config.Config, log *slog.Logger, recorder core.Recorder) worker.Options {
	return worker.Options{
		Args: []string{WorkerWord}, Env: []string{envPreset + "=" + cfg.Transcoding.EncoderPreset},
		Memory: workerMemory(cfg.Transcoding.WorkerMemory), Log: log, Recorder: recorder,
	}
}

// workerMemory returns a media worker's bound in bytes. Where the operator leaves it to
// the node, a worker may have three quarters of what the node may use, which a container
// or service can bound below what the machine has: enough for as many streams as its
// CPU cores carry, and not so much that the system has to choose which process to end.
func workerMemory(limit config.MemoryLimit) int64 {
	if !limit.Auto {
		return int64(limit.Bytes)
	}
	all, _ := sandbox.MachineMemory("/")
	return all / 4 * 3
}

// WorkerWord is the hidden command that the node starts itself with.
const WorkerWord = "media-worker"

// envPreset sets the encoder preset of a media worker.
const envPreset = "TUTTI_WORKER_PRESET"

// RunWorker is the child process that does the media work. It knows no
// configuration, no keys and no files; what it says on standard error goes into
// the node's log.
func RunWorker(ctx context.Context, _ []string, _, stderr io.Writer) int {
	log := slog.New(slog.NewTextHandler(stderr, nil))
	err := worker.Main(ctx, func(device string) (transcoder.Engine, error) {
		o := libav.Options{Device: device, Preset: os.Getenv(envPreset), Cores: worker.Cores(), Version: process.Version,
			Log: log}
		if worker.ForGPU() {
			o.CUDA = &libav.CUDA{}
		}
		return libav.New(o)
	})
	if err != nil {
		fmt.Fprintln(stderr, err)
		return command.ExitFailed
	}
	return command.ExitOK
}
