// Command benchsplit prints what it costs to transcode on another machine: the same
// segments go by turns through an orchestrator that works itself, one whose transcoder
// is a host away, and one whose transcoder is a host away and fetches its segments as
// those of the existing network do. Between hosts packets take their time and get lost.
// With -largest it prints how many workers and sessions this machine bears instead.
//
// It prints figures and asserts nothing but that segments come back: figures depend on
// the machine, so no test waits on them. Like test/netlab it needs root.
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
	"time"

	"github.com/tuttinode/tutti/test/figures"
	"github.com/tuttinode/tutti/test/netlab"
	"github.com/tuttinode/tutti/test/procfs"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// settings say what is run, and how much of it.
type settings struct {
	bin string
	// segments go through each set-up per condition, but for not longer than most; pause
	// is the time between one and the next of a set-up.
	segments    int
	pause, most time.Duration
	preset      string
	largest     bool
	// limits of -largest.
	workers, sessions int
	out               io.Writer
	sheet             *figures.Sheet
}

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 3 && args[0] == fetcherCommand {
		if err := runFetcher(context.Background(), args[1], args[2]); err != nil {
			fmt.Fprintln(stderr, "benchsplit:", err)
			return 1
		}
		return 0
	}
	s := settings{out: stdout}
	fs := flag.NewFlagSet("benchsplit", flag.ContinueOnError)
	fs.SetOutput(stderr)
	s.sheet = figures.New("benchsplit", stdout, fs)
	fs.StringVar(&s.bin, "bin", "bin", "folder of tutti")
	fs.IntVar(&s.segments, "segments", 20, "segments of each size through each set-up, per condition")
	fs.DurationVar(&s.pause, "pause", 600*time.Millisecond, "least time from a set-up's segment to its next")
	fs.DurationVar(&s.most, "most", 20*time.Second, "longest time for a condition; fewer segments count then")
	fs.StringVar(&s.preset, "preset", "ultrafast", "x264 preset")
	rtt := fs.String("rtt", "0,20,80", "round trips in ms")
	loss := fs.String("loss", "0,1,2", "packets lost, in per cent")
	idle := fs.String("idle", "0,1", "tcp_slow_start_after_idle on both hosts")
	control := fs.String("control", "reno,bbr", "how TCP controls congestion; -idle says nothing to bbr, and cubic "+
		"needs net.ipv4.tcp_allowed_congestion_control")
	sizes := fs.String("sizes", "small,large", "segments")
	fs.BoolVar(&s.largest, "largest", false, "instead, how many workers and sessions this machine bears")
	fs.IntVar(&s.workers, "workers", 200, "-largest: stop at so many workers")
	fs.IntVar(&s.sessions, "sessions", 400, "-largest: stop at so many sessions")
	if err := fs.Parse(args); err != nil {
		return 2
	}
	all, err := conditions(*rtt, *loss, *idle, *control, *sizes)
	if err != nil {
		fmt.Fprintln(stderr, "benchsplit:", err)
		return 2
	}
	if err := netlab.Needs(); err != nil {
		fmt.Fprintln(stderr, "benchsplit: SKIPPED: no network of several hosts can be made here:", err)
		return 0
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	part := func(ctx context.Context, b *testbed) error { return s.added(ctx, b, all) }
	if s.largest {
		part = s.ramp
	}
	if err := s.withTestbed(ctx, part); err != nil {
		fmt.Fprintln(stderr, "benchsplit:", err)
		return 1
	}
	return 0
}

// withTestbed runs a part with what it needs and takes that away afterwards.
func (s settings) withTestbed(ctx context.Context, part func(context.Context, *testbed) error) (err error) {
	dir, err := os.MkdirTemp("", "tutti-benchsplit")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &testbed{ctx: ctx, dir: dir}
	defer b.end()
	defer func() {
		if r := recover(); r != nil {
			broken, ok := r.(fatal)
			if !ok {
				panic(r)
			}
			err = errors.Join(err, broken.error)
		}
	}()
	fmt.Fprintf(s.out, "load of the machine before: %s\n\n", procfs.Load())
	err = part(ctx, b)
	fmt.Fprintf(s.out, "load of the machine after: %s\n", procfs.Load())
	return errors.Join(err, s.sheet.Save())
}
