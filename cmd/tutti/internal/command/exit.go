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

// Input returns where a configuration with this command line comes from, on this machine.
func Input(args []string) config.Input {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	return config.Input{Args: args, Environ: os.Environ(), ReadFile: readNamed, Home: home, System: runtime.GOOS,
		OldNode: migrate.IsSource}
}

// Func is a word that may stand in place of flags.
type Func func(ctx context.Context, args []string, stdout, stderr io.Writer) int

// mostNamed is more than config takes of a file that an option names.
const mostNamed = 2 << 20

// readNamed reads such a file, which may be a device or a pipe without an end.
func readNamed(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, mostNamed))
}
