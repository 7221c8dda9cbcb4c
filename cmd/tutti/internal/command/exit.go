package command

import (
	"context"
	"io"
	"os"
	"runtime"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/migrate"
)

// Exit statuses.
const (
	ExitOK     = 0
	ExitFailed = 1
	ExitUsage  = 2
)

func Input(args []string) config.Input {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	return config.Input{Args: args, Environ: os.Environ(), ReadFile: os.ReadFile, Home: home, System: runtime.GOOS, OldNode: migrate.IsSource}
}

// command is a word that may stand in place of flags.
type Func func(ctx context.Context, args []string, stdout, stderr io.Writer) int
