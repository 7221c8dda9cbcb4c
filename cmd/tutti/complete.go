package main

import (
	"context"
	"fmt"
	"io"

	"github.com/tuttinode/tutti/cmd/internal/usage"
	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
)

// completeWith answers the completion script of a shell, which asks with word.
func completeWith(word string) command.Func {
	return func(ctx context.Context, args []string, stdout, stderr io.Writer) int {
		if err := usage.Complete(ctx, word, args, stdout, stderr); err != nil {
			fmt.Fprintln(stderr, err)
			return command.ExitUsage
		}
		return command.ExitOK
	}
}
