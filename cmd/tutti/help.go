package main

import (
	"context"
	"fmt"
	"io"

	"github.com/tuttinode/tutti/cmd/internal/usage"
	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
	"github.com/tuttinode/tutti/cmd/tutti/internal/doctorcmd"
	"github.com/tuttinode/tutti/cmd/tutti/internal/initcmd"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/fault"
)

const helpUsage = `usage: tutti help                the commands
       tutti help options        the node's options
       tutti help COMMAND        what a command does
       tutti help CODE           what a condition means and what to do
`

const completionUsage = `usage: tutti completion bash|zsh|fish

Prints the completion script of a shell: . <(tutti completion bash)
`

const versionUsage = `usage: tutti version

Prints the version of this program.
`

// usages are what `tutti help COMMAND` prints. Read-only.
var usages = map[string]string{
	"alert": command.AlertUsage, "completion": completionUsage, "config": command.ConfigUsage,
	"doctor":  doctorcmd.Usage + "\n" + doctorcmd.BundleUsage + "\n" + doctorcmd.ExplainUsage,
	"gateway": command.GatewayUsage,
	"gpu":     command.GPUUsage, "help": helpUsage, "init": initcmd.Usage, "key": command.KeyUsage,
	"ledger":  command.LedgerUsage,
	"migrate": command.MigrateUsage, "move": command.MigrateUsage, "version": versionUsage,
}

// printHelp is `tutti help [word]`.
func printHelp(_ context.Context, args []string, stdout, stderr io.Writer) int {
	var err error
	switch {
	case len(args) == 0 || command.AsksHelp(args[0]):
		err = usage.Overview(stdout)
	case args[0] == "options":
		err = config.WriteHelp(stdout)
	case usages[args[0]] != "":
		_, err = io.WriteString(stdout, usages[args[0]])
	default:
		err = explainWord(stdout, args[0])
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return command.ExitUsage
	}
	return command.ExitOK
}

// explainWord explains a condition. What is none may be a mistyped command.
func explainWord(w io.Writer, word string) error {
	err := explainCode(w, word)
	if meant := usage.DidYouMean(word, usage.Names()); err != nil && meant != "" {
		return fmt.Errorf("there is no command %q%s", word, meant)
	}
	return err
}

// completion is `tutti completion SHELL`.
func completion(_ context.Context, args []string, stdout, stderr io.Writer) int {
	switch {
	case len(args) > 0 && command.AsksHelp(args[0]):
		fmt.Fprint(stdout, completionUsage)
		return command.ExitOK
	case len(args) != 1:
		return command.Misused(stderr, "completion", completionUsage, "the shell is missing")
	}
	if err := usage.WriteCompletion(stdout, "tutti", args[0]); err != nil {
		return command.Misused(stderr, "completion", completionUsage, err.Error())
	}
	return command.ExitOK
}

// version is `tutti version`.
func version(_ context.Context, _ []string, stdout, stderr io.Writer) int {
	if _, err := io.WriteString(stdout, config.VersionText(process.Version)); err != nil {
		fmt.Fprintln(stderr, err)
		return command.ExitFailed
	}
	return command.ExitOK
}

// unknownCommand refuses a first word that is neither a command nor an option: the options
// would be read as if it were not there, and the answer be about them.
func unknownCommand(word string, stderr io.Writer) int {
	fmt.Fprintf(stderr, "%s: there is no command %q%s\n%s\n", fault.UnexpectedArgument, word,
		usage.DidYouMean(word, usage.Names()), usage.Line)
	return command.ExitUsage
}
