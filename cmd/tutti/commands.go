package main

import (
	"github.com/tuttinode/tutti/cmd/internal/usage"
	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
	"github.com/tuttinode/tutti/cmd/tutti/internal/doctorcmd"
	"github.com/tuttinode/tutti/cmd/tutti/internal/initcmd"
	"github.com/tuttinode/tutti/cmd/tutti/internal/media"
)

// commandOf finds the command of a word; the hidden ones are what the node starts itself
// with.
func commandOf(word string) (command.Func, bool) {
	if usage.Asks(word) {
		return completeWith(word), true
	}
	c, ok := map[string]command.Func{
		"alert":              command.RunAlert,
		"completion":         completion,
		"config":             command.RunConfig,
		"doctor":             doctorcmd.Run,
		"gateway":            command.RunGateway,
		"gpu":                command.RunGPU,
		command.GPUWatchWord: command.WatchGPUs,
		"help":               printHelp,
		"init":               initcmd.Run,
		"key":                command.RunKey,
		"ledger":             command.RunLedger,
		media.WorkerWord:     media.RunWorker,
		"migrate":            command.RunMigrate,
		"move":               command.RunMigrate, // the name that migrate had before
		"version":            version,
	}[word]
	return c, ok
}
