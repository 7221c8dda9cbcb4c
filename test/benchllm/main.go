// Command benchllm prints the figures by which tutti's text path is measured, each
// compared with its peer measured in the same run: the standard library's reverse proxy
// before the same model server, alone and as two hops with TLS and HTTP/2 between.
//
// The model server is a stand-in that answers at once, so that what is measured is
// the way and not the model. It prints ratios and asserts nothing but that every
// answer is whole: figures depend on the machine, so no test waits on them.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/tuttinode/tutti/test/figures"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// settings say what is run, and how much of it.
type settings struct {
	bin      string
	runs     int
	requests int
	growth   int
	dir      string
	// profile is the folder for CPU profiles, empty for none.
	profile string
	out     io.Writer
	sheet   *figures.Sheet
}

func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(args) > 0 {
		if part, ok := parts[args[0]]; ok {
			if err := part(ctx, args[1:]); err != nil {
				fmt.Fprintln(stderr, "benchllm:", err)
				return 1
			}
			return 0
		}
	}
	s := settings{out: stdout}
	fs := flag.NewFlagSet("benchllm", flag.ContinueOnError)
	fs.SetOutput(stderr)
	s.sheet = figures.New("benchllm", stdout, fs)
	fs.StringVar(&s.bin, "bin", "bin", "folder of tutti")
	fs.IntVar(&s.runs, "runs", 5, "repetitions; the median counts")
	fs.IntVar(&s.requests, "requests", 4000, "plain requests per repetition; streams are a quarter of it")
	fs.IntVar(&s.growth, "growth", 100_000, "requests over which growth is measured")
	fs.StringVar(&s.profile, "profile", "", "folder for CPU profiles of the nodes, of plain and stream")
	only := fs.String("only", "", "one of plain, stream, latency, paced, memory, growth, cold; empty runs all")
	if err := fs.Parse(args); err != nil {
		return 2
	}
	dir, err := os.MkdirTemp("", "tutti-benchllm")
	if err != nil {
		fmt.Fprintln(stderr, "benchllm:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	s.dir = dir
	if err := s.all(ctx, *only); err != nil {
		fmt.Fprintln(stderr, "benchllm:", err)
		return 1
	}
	return 0
}

func (s settings) all(ctx context.Context, only string) error {
	b, err := s.start(ctx)
	if err != nil {
		return err
	}
	defer b.stop()
	for _, part := range []struct {
		name string
		run  func(context.Context, *testbed) error
	}{{"plain", s.plain}, {"stream", s.stream}, {"latency", s.latency}, {"paced", s.paced}, {"memory", s.memory},
		{"growth", s.grow}, {"cold", s.cold}} {
		if only != "" && only != part.name {
			continue
		}
		s.sheet.Part(part.name)
		if err := part.run(ctx, b); err != nil {
			return fmt.Errorf("%s: %w; %s", part.name, err, b.addresses())
		}
	}
	return s.sheet.Save()
}
