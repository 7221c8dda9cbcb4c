package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/tuttinode/tutti/config"
)

const configUsage = `usage: tutti config check [--all] [--json] [the node's flags]

Says whether a node with these flags would start, every problem, and what was set where.
Nothing is started. Without flags it looks at the packages' service, where there is one.

  --all    show every option, those with their defaults too
  --json   write JSON

The exit status is 0 when the configuration is valid, 1 when the node would start and not
serve every AI model, 2 when it would not start.
`

// configCommand is `tutti config check [flags]`.
func configCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if wrong, status := needsWord("config", args, stdout, stderr); wrong {
		return status
	}
	check := new(config.Check)
	write := check.WriteText
	var rest []string
	for _, a := range args[1:] {
		switch {
		case asksHelp(a):
			fmt.Fprint(stdout, configUsage)
			return exitOK
		case isFlag(a, "all"):
			check.All = true
		case isFlag(a, "json"):
			write = check.WriteJSON
		default:
			rest = append(rest, a)
		}
	}
	check.Config, check.Notices, check.Problems = config.Load(input(serviceArgs(rest, stderr)))
	if check.Starts() {
		_ = checkModels(ctx, check) // it is in what is shown
	}
	if err := write(stdout); err != nil {
		fmt.Fprintln(stderr, err)
		return exitFailed
	}
	switch {
	case !check.Starts():
		return exitUsage
	case !check.Valid():
		return exitFailed
	}
	return exitOK
}

// isFlag reports whether a word is a flag, with one dash or two.
func isFlag(word, name string) bool {
	return strings.HasPrefix(word, "-") && strings.TrimPrefix(strings.TrimPrefix(word, "-"), "-") == name
}

// asksHelp reports whether a word asks what a command does.
func asksHelp(word string) bool { return isFlag(word, "h") || isFlag(word, "help") }
