package main

import (
	"github.com/tuttinode/tutti/cmd/internal/usage"
	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
	"github.com/tuttinode/tutti/cmd/tutti/internal/doctorcmd"
	"github.com/tuttinode/tutti/cmd/tutti/internal/helpcmd"
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
		"completion":         helpcmd.Completion,
		"config":             command.RunConfig,
		"doctor":             doctorcmd.Run,
		"gpu":                command.RunGPU,
		command.GPUWatchWord: command.WatchGPUs,
		"help":               helpcmd.Run,
		"init":               initcmd.Run,
		"key":                command.RunKey,
		"ledger":             command.RunLedger,
		media.WorkerWord:     media.RunWorker,
		"migrate":            command.RunMigrate,
		"move":               command.RunMigrate, // the name that migrate had before
		"version":            helpcmd.Version,
	}[word]
	return c, ok
}
