// Command tutti_bench measures how many streams this machine transcodes in real
// time. It runs segments through the same media workers and the same pool as the
// node, without network, chain or files.
//
// Flags, CSV and tables follow the existing network's benchmark, so that scripts
// around it keep working; -findLimit finds the session limit by itself, -against
// compares with an ffmpeg, -json is for programs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// version is set when the program is linked. Read-only.
var version = "undefined"

// Exit statuses.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && args[0] == mediaWorker {
		return mediaWorkerCommand(ctx, stderr)
	}
	if len(args) > 0 && args[0] == watchDriver {
		return gpuWatchCommand(ctx, stdout, stderr)
	}
	s, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintln(stderr, err)
		return exitUsage
	}
	if s.version {
		fmt.Fprintln(stdout, "tutti_bench", version)
		return exitOK
	}
	if err := bench(ctx, s, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return exitFailed
	}
	return exitOK
}

// bench does what the settings say: one measurement per repetition, or a walk.
func bench(ctx context.Context, s settings, stdout, stderr io.Writer) error {
	clips, err := source(ctx, s, stderr)
	if err != nil {
		return err
	}
	s, stop, err := withGPUs(ctx, s, stderr)
	if err != nil {
		return err
	}
	defer stop()
	if err := writeSettings(stderr, s, clips); err != nil {
		return err
	}
	out := io.Discard
	if !s.json {
		out = stdout
	}
	lines := newLines(out)
	measure := func(n int) (figures, error) {
		f, err := measure(ctx, s, clips, n, lines, stderr)
		switch {
		case err != nil && (!s.walk || ctx.Err() != nil):
			return f, err
		case err != nil:
			f.Failure = err.Error()
		}
		return f, writeFigures(stderr, f)
	}
	doc := document{Version: version, Settings: s.describe()}
	if s.walk {
		doc.Limit, doc.Runs, err = walk(s.sessions, measure)
		if err == nil {
			_, err = fmt.Fprintf(stderr, "\nSession limit: %d (the largest number of sessions with a real-time duration "+
				"ratio of at most %.1f)\n", *doc.Limit, maxRatio)
		}
	} else {
		for range s.repeat {
			var f figures
			if f, err = measure(s.sessions); err != nil {
				break
			}
			doc.Runs = append(doc.Runs, f)
		}
	}
	if err == nil && s.against != "" {
		doc.Against, err = rivalry(ctx, s, clips, doc.Limit, stderr)
	}
	if err == nil && s.json {
		err = doc.write(stdout)
	}
	return err
}

// rivalry compares with another program, at the limit when there is one.
func rivalry(ctx context.Context, s settings, clips []piece, limit *int, stderr io.Writer) (*comparison, error) {
	sessions := s.sessions
	if limit != nil {
		sessions = max(1, *limit)
	}
	c, err := compare(ctx, s, clips, sessions, func(s settings, clips []piece) error {
		_, err := measure(ctx, s, clips, sessions, newLines(io.Discard), stderr)
		return err
	})
	if err != nil {
		return nil, err
	}
	return c, writeComparison(stderr, *c)
}
