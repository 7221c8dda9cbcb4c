package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"

	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/libav"
	"github.com/tuttinode/tutti/transcoder/pool"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// mediaWorker is the hidden command with which the program starts itself.
const mediaWorker = "media-worker"

// envPreset sets the encoder preset of a media worker.
const envPreset = "TUTTI_WORKER_PRESET"

// mediaWorkerCommand returns the media worker's life, as in the node.
func mediaWorkerCommand(ctx context.Context, stderr io.Writer) int {
	err := worker.Main(ctx, func(device string) (transcoder.Engine, error) {
		return engine(device, os.Getenv(envPreset), slog.New(slog.NewTextHandler(stderr, nil)))
	})
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitFailed
	}
	return exitOK
}

func engine(device, preset string, log *slog.Logger) (transcoder.Engine, error) {
	o := libav.Options{Device: device, Preset: preset, Cores: runtime.NumCPU(), Version: version, Log: log}
	if worker.ForGPU() {
		o.CUDA = &libav.CUDA{}
	}
	return libav.New(o)
}

// farm is what the segments run on.
type farm struct {
	*pool.Pool
	clients []*worker.Client
}

// open starts an engine per device and a pool over them that admits n sessions.
func open(ctx context.Context, s settings, n int, stderr io.Writer) (*farm, error) {
	log := slog.New(slog.DiscardHandler)
	if s.logLevel >= 4 {
		log = slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	f := &farm{}
	var engines []transcoder.Engine
	var errs []error
	for _, device := range s.devices {
		if s.inProcess {
			e, err := engine(device.name, s.preset, log)
			if err == nil {
				engines = append(engines, e)
			}
			errs = append(errs, err)
			continue
		}
		c, err := start(ctx, s, device, log)
		if err == nil {
			engines = append(engines, c)
			f.clients = append(f.clients, c)
		}
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		for _, e := range engines {
			err = errors.Join(err, e.Close())
		}
		return nil, err
	}
	f.Pool = pool.New(engines, pool.Options{MaxSessions: n, Log: log})
	return f, nil
}

// start starts the media worker of a device.
func start(ctx context.Context, s settings, t target, log *slog.Logger) (*worker.Client, error) {
	return worker.Start(ctx, worker.Options{
		Device: t.name, GPU: t.gpu(), UUID: string(t.uuid), Args: []string{mediaWorker},
		Env: []string{envPreset + "=" + s.preset}, Cache: kernelCache(), Log: log,
	})
}

// kernelCache returns where the driver of a GPU keeps what it compiled, "" for a folder that
// goes with the run. The node keeps it as well, and so does the driver for an ffmpeg.
func kernelCache() string {
	base, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(base, "tutti", "bench", "cuda-cache")
}

// memory returns what the media workers use, in bytes.
func (f *farm) memory() int64 {
	var sum int64
	for _, c := range f.clients {
		sum += c.Status().Memory
	}
	return sum
}
