// Command benchpaid prints what being paid costs: segments and model requests go by
// turns through two pairs of gateway and orchestrator of the same binary, one on a
// local test chain with prices and tickets, one without a chain. Besides that it loads
// the paid orchestrator with many clients of one gateway, once written from the
// network's protocol and once tutti's own.
//
// It prints figures and asserts nothing but that jobs are served and that the books
// agree: figures depend on the machine, so no test waits on them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/tuttinode/tutti/test/figures"
	"github.com/tuttinode/tutti/test/procfs"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// settings say what is run, and how much of it.
type settings struct {
	bin, dir string
	// segments and requests are how many of each go through each pair.
	segments, requests int
	runs               int
	// clients ask at once for the given time.
	clients int
	load    time.Duration
	l1      time.Duration
	profile string
	out     io.Writer
	sheet   *figures.Sheet
}

// parts are what is measured, in the order in which it is printed.
var parts = []struct {
	name string
	run  func(settings, context.Context, *world) error
}{{"segment", settings.segment}, {"token", settings.token}, {"cpu", settings.cpu}, {"foreign", settings.foreign},
	{"own", settings.own}}

func run(args []string, stdout, stderr io.Writer) int {
	s := settings{out: stdout}
	fs := flag.NewFlagSet("benchpaid", flag.ContinueOnError)
	fs.SetOutput(stderr)
	s.sheet = figures.New("benchpaid", stdout, fs)
	fs.StringVar(&s.bin, "bin", "bin", "folder of tutti, tutti_cli and tutti_devnet")
	fs.IntVar(&s.segments, "segments", 60, "segments of each size through each pair")
	fs.IntVar(&s.requests, "requests", 600, "requests through each pair")
	fs.IntVar(&s.runs, "runs", 5, "repetitions of what is counted in CPU; the median counts")
	fs.IntVar(&s.clients, "clients", 64, "clients that ask at once")
	fs.DurationVar(&s.load, "load", 20*time.Second, "how long they ask")
	fs.DurationVar(&s.l1, "l1", 400*time.Millisecond,
		"how often the chain's clock advances meanwhile; parameters live for 40 of them")
	fs.StringVar(&s.profile, "profile", "", "folder for CPU profiles of the loads, of gateway and orchestrator")
	only := fs.String("only", "", "one of segment, token, cpu, foreign, own; empty runs all")
	if err := fs.Parse(args); err != nil {
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	dir, err := os.MkdirTemp("", "tutti-benchpaid")
	if err != nil {
		fmt.Fprintln(stderr, "benchpaid:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	s.dir = dir
	if err := s.all(ctx, *only); err != nil {
		fmt.Fprintln(stderr, "benchpaid:", err)
		return 1
	}
	return 0
}

func (s settings) all(ctx context.Context, only string) (err error) {
	w, err := newWorld(ctx, s.bin, s.dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.stop()) }()
	if err := w.startAll(ctx); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "load of the machine before: %s\n\n", procfs.Load())
	for _, part := range parts {
		if only != "" && only != part.name {
			continue
		}
		s.sheet.Part(part.name)
		if err := part.run(s, ctx, w); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	fmt.Fprintf(s.out, "load of the machine after: %s\n", procfs.Load())
	return s.sheet.Save()
}
