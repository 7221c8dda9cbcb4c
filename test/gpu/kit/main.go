// Command gpukit runs the parts of the GPU kit: compiled test programs that look at
// a GPU, at the media worker on it and at the whole node, unattended and each in
// bounded time. Whatever fails, the rest runs, and a report says what was expected and
// seen.
//
// It is packed with its programs by make gpukit; gpukit.sh next to it is what people
// call.
//
// report.go is the outcome of a run: what each part expected and saw on a GPU, as JSON and as
// Markdown. section.go fills the section of docs/gpu.md from it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// version is set when the program is linked.
var version = "undefined"

// Exit statuses.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

const usage = `usage: gpukit.sh [-o FOLDER] [-fake | -fake-without-encoder] [-short] [PART…]
       gpukit.sh [-o FOLDER] merge FOLDER…       one report of several runs on one GPU
       gpukit.sh publish REPORT.md DOCS          a report into the documentation

Runs the named parts, or all, on the first usable NVIDIA GPU, %v at most each, and writes
report.json, report.md and log.txt into FOLDER (default: gpukit-report). Parts that are
run again replace those in the report; the report of another GPU is set aside. The exit
status is 0 when nothing failed.

Parts: %s.
  -fake                   rehearse on a simulated driver
  -fake-without-encoder   the same with a GPU that has no encoder
  -time 9m30s             all parts together in this time; those for which none is left are
                          left out
  -short                  small clips and few streams: seconds, not minutes
`

func main() {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	alone := adopt() == nil
	status := run(ctx, os.Args[1:], alone, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// settings are what the command line says.
type settings struct {
	out, home            string
	fake, withoutEncoder bool
	short                bool
	parts                []part
	words                []string
	stdout               io.Writer
	// limit is how long a part may take, total how long all may, 0 for as long as they take.
	limit, total time.Duration
	// alone says that this process has no children but those of the kit.
	alone bool
}

func run(ctx context.Context, args []string, alone bool, stdout, stderr io.Writer) int {
	s, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintln(stderr, "gpukit:", err)
		return exitUsage
	}
	s.stdout, s.alone = stdout, alone
	passed, err := s.do(ctx)
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "gpukit:", err)
		return exitFailed
	case !passed:
		return exitFailed
	}
	return exitOK
}

// do runs parts, or what another first word asks for.
func (s settings) do(ctx context.Context) (passed bool, err error) {
	if len(s.words) > 0 && s.words[0] == "merge" {
		return true, merge(s.out, s.words[1:])
	}
	if len(s.words) == 1 && s.words[0] == "packages" {
		for _, folder := range packages() {
			fmt.Fprintln(s.stdout, folder)
		}
		return true, nil
	}
	if len(s.words) == 3 && s.words[0] == "publish" {
		if s.words[1] == "" {
			return true, fill(s.words[2])
		}
		copied, err := publish(s.words[1], s.words[2])
		if err == nil {
			fmt.Fprintln(s.stdout, "wrote", copied, "and the section of", filepath.Join(s.words[2], "gpu.md"))
		}
		return true, err
	}
	return kit(ctx, s)
}

func parse(args []string, stderr io.Writer) (settings, error) {
	s := settings{limit: limit}
	fs := flag.NewFlagSet("gpukit", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() { fmt.Fprintf(stderr, usage, limit, strings.Join(names(), ", ")) }
	fs.StringVar(&s.out, "o", "gpukit-report", "")
	fs.StringVar(&s.home, "home", "", "")
	fs.BoolVar(&s.fake, "fake", false, "")
	fs.BoolVar(&s.withoutEncoder, "fake-without-encoder", false, "")
	fs.BoolVar(&s.short, "short", false, "")
	fs.DurationVar(&s.total, "time", 0, "")
	if err := fs.Parse(args); err != nil {
		return s, err
	}
	s.fake = s.fake || s.withoutEncoder
	s.words = fs.Args()
	if len(s.words) > 0 && slices.Contains([]string{"merge", "publish", "packages"}, s.words[0]) {
		return s, nil
	}
	for _, word := range s.words {
		i := slices.IndexFunc(parts, func(p part) bool { return p.name == word })
		if i < 0 {
			return s, fmt.Errorf("there is no part %q; the parts are %s", word, strings.Join(names(), ", "))
		}
		s.parts = append(s.parts, parts[i])
	}
	if len(s.words) == 0 {
		s.parts = parts
	}
	return s, nil
}

// merge makes one report of those in several folders.
func merge(out string, folders []string) error {
	if len(folders) == 0 {
		return errors.New("merge: name the folders of the reports")
	}
	var all Report
	for i, folder := range folders {
		r, err := Read(folder)
		if err != nil {
			return err
		}
		if i == 0 {
			all, all.Parts = r, nil
		}
		if !sameCard(all, r) {
			return fmt.Errorf("merge: %s is of another GPU, driver or form than %s", folder, folders[0])
		}
		all.Join(r)
		for _, p := range r.Parts {
			all.Add(p, names())
		}
		all.Date = max(all.Date, r.Date)
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	return all.Write(out)
}

// today is the date of a report.
func today() string { return time.Now().UTC().Format(time.DateOnly) }
