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
	"strings"

	"github.com/tuttinode/tutti/cmd/internal/logging"
	"github.com/tuttinode/tutti/cmd/internal/usage"
	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
	"github.com/tuttinode/tutti/cmd/tutti/internal/media"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/config"
)

func main() { os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr)) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		if command, ok := commandOf(args[0]); ok {
			return command(ctx, args[1:], stdout, stderr)
		}
		if !strings.HasPrefix(args[0], "-") {
			return unknownCommand(args[0], stderr)
		}
	}
	signals := process.ExpectSignals()
	cfg, notices, err := config.Load(command.Input(args))
	if cfg != nil && cfg.Process.Informational() {
		return inform(cfg, stdout, stderr)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		fmt.Fprintln(stderr, "\n"+usage.Line)
		return command.ExitUsage
	}
	sink, err := logging.Setup(logging.Options{
		Verbosity: cfg.Logging.Verbosity, VModule: cfg.Logging.VModule, Dir: cfg.Logging.Dir,
		ToStderr: cfg.Logging.ToStderr, AlsoToStderr: cfg.Logging.AlsoToStderr, JSON: cfg.Logging.Format == "json",
	})
	if err != nil {
		fmt.Fprintln(stderr, err)
		return command.ExitUsage
	}
	defer sink.Flush()
	if err := config.WriteTable(stdout, cfg); err != nil {
		fmt.Fprintln(stderr, err)
	}
	log := sink.Logger()
	for _, n := range notices {
		log.Warn("configuration", "notice", n.String())
	}
	if err := command.ByCause(serve(ctx, cfg, sink, signals)); err != nil {
		code, row := command.ExitFault(err)
		log.Error("tutti ends", "code", string(code), "remedy", row.Remedy, "err", err)
		fmt.Fprintln(stderr, command.Describe(err))
		return command.ExitFailed
	}
	return command.ExitOK
}

// serve runs the node until it is asked to stop or fails.
func serve(ctx context.Context, cfg *config.Config, sink *logging.Sink, signals *process.Signals) error {
	var ahead *media.Ahead
	defer func() { ahead.Close() }()
	p, err := process.New(ctx, sink.Logger(), cfg, signals, func(ctx context.Context, cards string) error {
		if err := usableFiles(cfg); err != nil {
			return err
		}
		ahead = media.StartAhead(ctx, cfg, sink.Logger(), cards)
		return nil
	})
	if err != nil {
		return err
	}
	n, err := newNode(ctx, cfg, sink, p, ahead)
	if err != nil {
		return err
	}
	return p.Run(ctx, n.Components(), cfg.Limits.DrainTimeout)
}

// inform prints what was asked for instead of running a node.
func inform(cfg *config.Config, stdout, stderr io.Writer) int {
	var err error
	switch {
	case cfg.Process.Version:
		_, err = io.WriteString(stdout, config.VersionText(process.Version))
	case cfg.Process.Help:
		err = config.WriteHelp(stdout)
	case cfg.Process.ShowFlags:
		err = config.WriteJSON(stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return command.ExitFailed
	}
	return command.ExitOK
}
