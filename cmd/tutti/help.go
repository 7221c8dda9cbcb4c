package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/cmd/tutti/usage"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/fault"
)

const alertUsage = `usage: tutti alert test [the node's flags]

Sends a test alert to every address of -alert and says what became of it.
`

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

// usages are what `tutti help COMMAND` prints.
var usages = map[string]string{
	"alert": alertUsage, "completion": completionUsage, "config": configUsage, "doctor": doctorUsage + "\n" + bundleUsage + "\n" + explainUsage,
	"gpu": gpuUsage, "help": helpUsage, "init": initUsage, "key": keyUsage, "ledger": ledgerUsage, "move": moveUsage, "version": versionUsage,
}

// helpCommand is `tutti help [word]`.
func helpCommand(_ context.Context, args []string, stdout, stderr io.Writer) int {
	var err error
	switch {
	case len(args) == 0 || asksHelp(args[0]):
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
		return exitUsage
	}
	return exitOK
}

// explainWord explains a condition. What is none may be a mistyped command.
func explainWord(w io.Writer, word string) error {
	err := explainCode(w, word)
	if meant := usage.DidYouMean(word, usage.Names()); err != nil && meant != "" {
		return fmt.Errorf("there is no command %q%s", word, meant)
	}
	return err
}

// completionCommand is `tutti completion SHELL`.
func completionCommand(_ context.Context, args []string, stdout, stderr io.Writer) int {
	switch {
	case len(args) > 0 && asksHelp(args[0]):
		fmt.Fprint(stdout, completionUsage)
		return exitOK
	case len(args) != 1:
		return misused(stderr, "completion", "the shell is missing")
	}
	if err := usage.WriteCompletion(stdout, args[0]); err != nil {
		return misused(stderr, "completion", err.Error())
	}
	return exitOK
}

// versionCommand is `tutti version`.
func versionCommand(_ context.Context, _ []string, stdout, stderr io.Writer) int {
	if _, err := io.WriteString(stdout, config.VersionText(version)); err != nil {
		fmt.Fprintln(stderr, err)
		return exitFailed
	}
	return exitOK
}

// notACommand refuses a first word that is neither a command nor an option: the options
// would be read as if it were not there, and the answer be about them.
func notACommand(word string, stderr io.Writer) int {
	fmt.Fprintf(stderr, "%s: there is no command %q%s\n%s\n", fault.UnexpectedArgument, word, usage.DidYouMean(word, usage.Names()), usage.Line)
	return exitUsage
}

// unknownWord says that a command has no such second word.
func unknownWord(name, word string) string {
	c, _ := usage.Find(name)
	return fmt.Sprintf("there is no tutti %s %s%s", name, word, usage.DidYouMean(word, c.Words))
}

// needsWord reads the first word of a command that has one of a few. wrong says that the
// command ends here, with status: help was asked for, or there is no such word.
func needsWord(name string, args []string, stdout, stderr io.Writer) (wrong bool, status int) {
	c, _ := usage.Find(name)
	switch {
	case len(args) > 0 && (asksHelp(args[0]) || args[0] == "help"):
		fmt.Fprint(stdout, usages[name])
		return true, exitOK
	case len(args) == 0:
		return true, misused(stderr, name, "")
	case !slices.Contains(c.Words, args[0]):
		return true, misused(stderr, name, unknownWord(name, args[0]))
	}
	return false, exitOK
}

// misused says what is wrong with a command's line, and shows the line as it should be.
// The whole help would push the mistake out of sight.
func misused(stderr io.Writer, name, text string) int {
	if text != "" {
		fmt.Fprintln(stderr, text)
	}
	lines := strings.Split(usages[name], "\n")
	if end := slices.Index(lines, ""); end > 0 {
		lines = lines[:end]
	}
	fmt.Fprintf(stderr, "%s\ntutti help %s says more.\n", strings.Join(lines, "\n"), name)
	return exitUsage
}
