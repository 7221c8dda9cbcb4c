package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/libav"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// command is a word that may stand in place of flags.
type command func(ctx context.Context, args []string, stdout, stderr io.Writer) int

// mediaWorker is the hidden command that the node starts itself with.
const mediaWorker = "media-worker"

// envPreset tells a media worker which encoder preset to use.
const envPreset = "TUTTI_WORKER_PRESET"

// commandOf finds the command of a word; the hidden ones are what the node starts itself
// with.
func commandOf(word string) (command, bool) {
	c, ok := map[string]command{
		"alert":      alertCommand,
		"completion": completionCommand,
		"config":     configCommand,
		"doctor":     doctorCommand,
		"gpu":        gpuCommand,
		gpuWatch:     gpuWatchCommand,
		"help":       helpCommand,
		"init":       initCommand,
		"key":        keyCommand,
		"ledger":     ledgerCommand,
		mediaWorker:  mediaWorkerCommand,
		"move":       moveCommand,
		"version":    versionCommand,
	}[word]
	return c, ok
}

// mediaWorkerCommand is the child process that does the media work. It knows no
// configuration, no keys and no files; what it says on standard error goes into
// the node's log.
func mediaWorkerCommand(ctx context.Context, _ []string, _, stderr io.Writer) int {
	log := slog.New(slog.NewTextHandler(stderr, nil))
	err := worker.Main(ctx, func(device string) (transcoder.Engine, error) {
		o := libav.Options{Device: device, Preset: os.Getenv(envPreset), Cores: worker.Cores(), Version: version, Log: log}
		if worker.ForGPU() {
			o.CUDA = &libav.CUDA{}
		}
		return libav.New(o)
	})
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitFailed
	}
	return exitOK
}
