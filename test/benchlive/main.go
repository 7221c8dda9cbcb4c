// Command benchlive prints the figures by which tutti's live work is measured: the delay of live video, what a
// channel's relay adds, and what sessions, sockets and readers cost a node. Where there is a peer, the standard
// library's reverse proxy passing the same bytes, it is measured in the same run.
//
// The nodes are real processes with TLS between. The runner is a stand-in that sends back what it gets, so that
// what is measured is the way and not a model. It prints figures and asserts nothing but that what was sent
// arrives: figures depend on the machine, so no test waits on them.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/tuttinode/tutti/test/figures"
	"github.com/tuttinode/tutti/test/procfs"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// settings say what is run, and how much of it.
type settings struct {
	bin, ffmpeg string
	// sessions and sockets are how many there are at once, load how long each load lasts.
	sessions, sockets int
	load              time.Duration
	runs              int
	// profile is a folder for profiles of the orchestrator, "" for none.
	profile string
	dir     string
	out     io.Writer
	sheet   *figures.Sheet
}

func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(args) > 0 {
		if child, ok := children[args[0]]; ok {
			if err := child(ctx, args[1:]); err != nil {
				fmt.Fprintln(stderr, "benchlive:", err)
				return 1
			}
			return 0
		}
	}
	s := settings{out: stdout}
	fs := flag.NewFlagSet("benchlive", flag.ContinueOnError)
	fs.SetOutput(stderr)
	s.sheet = figures.New("benchlive", stdout, fs)
	fs.StringVar(&s.bin, "bin", "bin", "folder of tutti")
	fs.StringVar(&s.ffmpeg, "ffmpeg", filepath.Join(os.Getenv("TUTTI_DEPS"), "bin", "ffmpeg"),
		"draws and reads the time codes")
	fs.IntVar(&s.sessions, "sessions", 100, "sessions at once, of four channels each; the target is stated for 1000")
	fs.IntVar(&s.sockets, "sockets", 1000, "idle sockets; the target is stated for 10000")
	fs.DurationVar(&s.load, "load", 8*time.Second, "how long each load lasts")
	fs.IntVar(&s.runs, "runs", 3, "repetitions; the median counts")
	fs.StringVar(&s.profile, "profile", "", "write the orchestrator's profiles into this folder")
	only := fs.String("only", "", "one of "+strings.Join(names(), ", ")+"; empty runs all")
	if err := fs.Parse(args); err != nil {
		return 2
	}
	dir, err := os.MkdirTemp("", "tutti-benchlive")
	if err == nil {
		defer os.RemoveAll(dir)
		s.dir = dir
		err = s.all(ctx, *only)
	}
	if err != nil {
		fmt.Fprintln(stderr, "benchlive:", err)
		return 1
	}
	return 0
}

// children are what this program runs as in processes of their own. Read-only.
var children = map[string]func(context.Context, []string) error{"proxy": serveProxy, "runner": serveRunner}

// part is one thing that is measured.
type part struct {
	name string
	run  func(context.Context) error
}

func (s settings) parts() []part {
	return []part{{"relay", s.relay}, {"readers", s.readers}, {"sessions", s.manySessions}, {"sockets", s.manySockets},
		{"delay", s.delay}, {"change", s.change}}
}

func names() (list []string) {
	for _, p := range (settings{}).parts() {
		list = append(list, p.name)
	}
	return list
}

func (s settings) all(ctx context.Context, only string) error {
	fmt.Fprintf(s.out, "load of the machine before: %s\n\n", procfs.Load())
	for _, p := range s.parts() {
		if only != "" && only != p.name {
			continue
		}
		s.sheet.Part(p.name)
		if err := p.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return s.sheet.Save()
}
