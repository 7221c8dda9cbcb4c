package main

import (
	"context"
	"fmt"
	"io"
)

// doctorWords are the words that may follow `tutti doctor`; without one of them the
// checks run.
var doctorWords = map[string]command{
	"explain": explainCommand,
}

// doctorCommand is `tutti doctor [word] [flags]`.
func doctorCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		if word, ok := doctorWords[args[0]]; ok {
			return word(ctx, args[1:], stdout, stderr)
		}
	}
	return doctorChecks(ctx, args, stdout, stderr)
}

func doctorChecks(_ context.Context, _ []string, _, stderr io.Writer) int {
	fmt.Fprintln(stderr, "usage: tutti doctor [flags]")
	return exitUsage
}
