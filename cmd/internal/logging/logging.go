// Package logging is the sink of the node's logs: a slog handler that writes
// glog's line format, to the places and files that glog would, under its flags.
//
// It is the only importer of glog, which decides what -v and -vmodule show. The
// writing is done here: glog ends the process when a line cannot be written, and a
// node must outlive a full log disk. Everything else logs through the *slog.Logger
// it is handed; cmd's programs call Setup once, and Flush on their way out. glog
// keeps its settings per process, so there is one Sink per process.
//
// With -logFormat json the same lines are JSON objects, for collectors of logs. The
// last lines are kept in memory either way, for the dashboard and the debug bundle.
//
// Levels: Error and Warn are always written, Info too; Debug needs -v 4, and
// wire detail (slog.LevelDebug-4) needs -v 6. One event is always one line.
//
// A line that cannot be written is dropped and counted; Watch shows that as a
// condition while it lasts.
package logging

import (
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// LevelWire is the level of wire detail, written with -v 6. Packages that cannot
// import this one write slog.LevelDebug-4.
const LevelWire = slog.LevelDebug - 4

// MaxVerbosity is the highest verbosity that is accepted.
const MaxVerbosity = 99

// Options are the flags, named as glog names them. The zero value logs to standard
// error with verbosity 0.
type Options struct {
	// Verbosity is -v: 4 adds debug lines, 6 wire detail.
	Verbosity int
	// VModule is -vmodule: a comma-separated list of file=verbosity.
	VModule string
	// Dir is -log_dir: write files there instead of to standard error.
	Dir string
	// ToStderr is -logtostderr: standard error only, whatever Dir says.
	ToStderr bool
	// AlsoToStderr is -alsologtostderr: standard error besides the files.
	AlsoToStderr bool
	// JSON writes one JSON object per line instead of glog's form.
	JSON bool
}

// Sink is where the process's logs go.
type Sink struct {
	log *slog.Logger
	// verbosity repeats glog's -v, so that asking costs nothing.
	verbosity atomic.Int32
	// perFile: -vmodule is set, so a line's file decides.
	perFile   atomic.Bool
	form      form
	positions positions
	tail      tail
	out       *output
	now       func() time.Time
	pid       int
	// buffers are for lines that are being put together; long ones are not kept.
	buffers sync.Pool
}

// Setup takes the options and returns the process's sink. The error is a
// *fault.Fault: BadOption or LogDirUnusable.
func Setup(opts Options) (*Sink, error) {
	toFiles := opts.Dir != "" && !opts.ToStderr
	if toFiles {
		if err := checkDir(opts.Dir); err != nil {
			return nil, fault.Wrap(fault.LogDirUnusable, "open log directory", err)
		}
	}
	settings := []struct{ name, value string }{
		// glog writes nothing itself; should it ever, then not into files of its own.
		{"logtostderr", "true"},
		{"vmodule", opts.VModule},
	}
	for _, s := range settings {
		if err := setFlag(s.name, s.value); err != nil {
			return nil, fault.New(fault.BadOption, "set up logging", fmt.Sprintf("-%s %q: %v", s.name, s.value, err))
		}
	}
	s := &Sink{form: textForm{}, now: time.Now, pid: os.Getpid()}
	if opts.JSON {
		s.form = jsonForm{}
	}
	s.out = newOutput(os.Stderr, s.lostLine)
	if toFiles {
		s.out.writeFiles(opts.Dir, opts.AlsoToStderr, s.now, s.pid)
	}
	outliveReaders()
	if err := s.SetVerbosity(opts.Verbosity); err != nil {
		return nil, err
	}
	s.perFile.Store(opts.VModule != "")
	s.log = slog.New(&handler{sink: s})
	return s, nil
}

// Logger returns the root of all loggers of the process.
func (s *Sink) Logger() *slog.Logger { return s.log }

// Verbosity returns the -v in force.
func (s *Sink) Verbosity() int { return int(s.verbosity.Load()) }

// SetVerbosity changes -v while the node runs. The error, of code BadOption,
// says that n is not within 0 and MaxVerbosity.
func (s *Sink) SetVerbosity(n int) error {
	if n < 0 || n > MaxVerbosity {
		return fault.New(fault.BadOption, "set verbosity", fmt.Sprintf("-v %d: must be 0 to %d", n, MaxVerbosity))
	}
	if err := setFlag("v", strconv.Itoa(n)); err != nil {
		return fault.Wrap(fault.Unexpected, "set verbosity", err)
	}
	s.verbosity.Store(int32(n))
	return nil
}

// SetVModule changes -vmodule while the node runs. The error, of code BadOption, says
// that it is no list of file=verbosity.
func (s *Sink) SetVModule(list string) error {
	if err := setFlag("vmodule", list); err != nil {
		return fault.New(fault.BadOption, "set verbosity of files", fmt.Sprintf("-vmodule %q: %v", list, err))
	}
	s.perFile.Store(list != "")
	return nil
}

// Flush asks the system to keep what was written to files. It is called before the
// process ends.
func (s *Sink) Flush() { s.out.sync() }

// lostLine returns the line that reports how many were lost.
func (s *Sink) lostLine(n uint64) []byte {
	r := slog.NewRecord(s.now(), slog.LevelWarn, "log lines were lost", 0)
	b := s.form.begin(nil, &r, r.Time, s.pid, "output.go:1")
	return s.form.end(s.form.attr(b, "count", slog.Uint64Value(n)))
}

// Lost returns how many lines could not be written since the start.
func (s *Sink) Lost() uint64 { return s.out.lost.Load() }

// outliveReaders keeps a closed pipe on standard error from ending the process: the
// runtime would on the first write. A handler of our own is not passed on to
// children, which an ignored signal would be.
func outliveReaders() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// setFlag sets one of the flags that glog registers on the process's flag set,
// which the programs themselves never parse.
func setFlag(name, value string) error {
	f := flag.CommandLine.Lookup(name)
	if f == nil {
		return fmt.Errorf("glog has no flag -%s", name)
	}
	return f.Value.Set(value)
}

// checkDir finds out now what would otherwise lose every line.
func checkDir(dir string) error {
	f, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return err
	}
	return joinClose(f)
}

func joinClose(f *os.File) error {
	err := f.Close()
	if rm := os.Remove(f.Name()); err == nil {
		err = rm
	}
	return err
}
