// Command tutti is the node: gateway, orchestrator and transcoder, alone or
// together, as its flags say.
//
// This package reads the configuration, introduces the parts to one another and
// turns the outcome into an exit status: 0 when the stop was asked for, 1 when
// something failed, 2 when the command line or the configuration is wrong. It is
// the only package that sees all others.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/tuttinode/tutti/cmd/internal/logging"
	"github.com/tuttinode/tutti/cmd/tutti/usage"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/migrate"
)

// version is set when the program is linked.
var version = "undefined"

// Exit statuses.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() { os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr)) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		if command, ok := commandOf(args[0]); ok {
			return command(ctx, args[1:], stdout, stderr)
		}
		if !strings.HasPrefix(args[0], "-") {
			return notACommand(args[0], stderr)
		}
	}
	cfg, notices, err := config.Load(input(args))
	if cfg != nil && cfg.Process.Informational() {
		return inform(cfg, stdout, stderr)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		fmt.Fprintln(stderr, "\n"+usage.Line)
		return exitUsage
	}
	sink, err := logging.Setup(logging.Options{
		Verbosity: cfg.Logging.Verbosity, VModule: cfg.Logging.VModule, Dir: cfg.Logging.Dir,
		ToStderr: cfg.Logging.ToStderr, AlsoToStderr: cfg.Logging.AlsoToStderr, JSON: cfg.Logging.Format == "json",
	})
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitUsage
	}
	defer sink.Flush()
	if err := config.WriteTable(stdout, cfg); err != nil {
		fmt.Fprintln(stderr, err)
	}
	log := sink.Logger()
	for _, n := range notices {
		log.Warn("configuration", "notice", n.String())
	}
	if err := byCause(serve(ctx, cfg, sink)); err != nil {
		code, row := reason(err)
		log.Error("tutti ends", "code", string(code), "remedy", row.Remedy, "err", err)
		fmt.Fprintln(stderr, explain(err))
		return exitFailed
	}
	return exitOK
}

// serve runs the node until it is asked to stop or fails.
func serve(ctx context.Context, cfg *config.Config, sink *logging.Sink) error {
	p, err := newProcess(ctx, sink.Logger(), cfg)
	if err != nil {
		return err
	}
	defer p.ahead.close()
	n, err := newNode(ctx, cfg, sink, p)
	if err != nil {
		return err
	}
	return p.run(ctx, n, cfg)
}

func input(args []string) config.Input {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	return config.Input{Args: args, Environ: os.Environ(), ReadFile: readNamed, Home: home, System: runtime.GOOS, OldNode: migrate.IsSource}
}

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

// inform prints what was asked for instead of running a node.
func inform(cfg *config.Config, stdout, stderr io.Writer) int {
	var err error
	switch {
	case cfg.Process.Version:
		_, err = io.WriteString(stdout, config.VersionText(version))
	case cfg.Process.Help:
		err = config.WriteHelp(stdout)
	case cfg.Process.ShowFlags:
		err = config.WriteJSON(stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitFailed
	}
	return exitOK
}
