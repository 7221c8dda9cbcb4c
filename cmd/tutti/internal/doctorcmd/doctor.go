package doctorcmd

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/fault"
)

// Usage is short: -list and docs/doctor.md say the rest.
const Usage = `usage: tutti doctor [-only a,b] [-ignore a,b] [-fix] [-json] [-all] [the node's own flags | -config FILE]
       tutti doctor -list
       tutti doctor explain        why the running node gets no jobs
       tutti doctor bundle         a file with what a helper needs to see, without secrets

Looks whether a node with these flags can do its work, and says what to do where it
cannot; before the first start as well as alongside a running node. Without flags it looks
at the node that runs on this machine, or else at the packages' service, where there is
one: /etc/tutti/tutti.conf.

  -only a,b    only these checks or groups of checks
  -ignore a,b  these are shown and do not count
  -fix         repair what is safe to repair: file modes, a missing data directory
  -json        write JSON
  -all         do not shorten lines
  -list        show the checks

The exit status is 0 when all is well, 1 for warnings, 2 for failures, 3 when these
flags are wrong.
`

const (
	// doctorLimit bounds a run of all checks.
	doctorLimit = 13 * time.Second
	// ExitDoctorUsage is for doctor's own flags: 2 is a failed check.
	ExitDoctorUsage = 3
)

// doctorWords are the words that may follow `tutti doctor`; without one of them the
// checks run.
func doctorWords() map[string]command.Func {
	return map[string]command.Func{
		"bundle":  bundleCommand,
		"explain": explainCommand,
	}
}

// Run is `tutti doctor [word] [flags]`.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		if word, ok := doctorWords()[args[0]]; ok {
			return word(ctx, args[1:], stdout, stderr)
		}
		if !strings.HasPrefix(args[0], "-") {
			_ = command.Misused(stderr, "doctor", Usage, command.UnknownWord("doctor", args[0]))
			return ExitDoctorUsage
		}
	}
	return doctorChecks(ctx, args, stdout, stderr)
}

// doctorFlags are doctor's own; rest are the node's.
type doctorFlags struct {
	only, ignore         doctor.Words
	fix, json, all, list bool
	rest                 []string
	// environ is what the node reads besides its flags.
	environ []string
}

// parseDoctor takes doctor's flags out of the command line, wherever they stand.
func parseDoctor(args []string) (*doctorFlags, error) {
	f := new(doctorFlags)
	flags := flag.NewFlagSet("tutti doctor", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	words := func(w *doctor.Words) func(string) error {
		return func(text string) error {
			more, err := doctor.ParseWords(text)
			*w = append(*w, more...)
			if wrong, ok := errors.AsType[*fault.Fault](err); ok {
				return errors.New(wrong.Detail)
			}
			return err
		}
	}
	flags.Func("only", "", words(&f.only))
	flags.Func("ignore", "", words(&f.ignore))
	flags.BoolVar(&f.fix, "fix", false, "")
	flags.BoolVar(&f.json, "json", false, "")
	flags.BoolVar(&f.all, "all", false, "")
	flags.BoolVar(&f.list, "list", false, "")
	var own []string
	for i := 0; i < len(args); i++ {
		name, _, joined := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		known := flags.Lookup(name)
		switch {
		case !strings.HasPrefix(args[i], "-") || known == nil:
			f.rest = append(f.rest, args[i])
			continue
		case !joined && (name == "only" || name == "ignore") && i+1 < len(args):
			own = append(own, args[i])
			i++
		}
		own = append(own, args[i])
	}
	return f, flags.Parse(own)
}

func doctorChecks(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f, err := parseDoctor(args)
	var cfg *config.Config
	if err == nil {
		var notices []config.Notice
		var problems error
		in := command.Input(f.rest)
		if !f.list {
			in = command.InspectedNode(f.rest, stderr)
		}
		f.rest, f.environ = in.Args, in.Environ
		cfg, notices, problems = config.Load(in)
		if cfg != nil && cfg.Process.Help {
			err = flag.ErrHelp
		} else if !f.list {
			return runDoctor(ctx, f, cfg, notices, problems, stdout, stderr)
		}
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, Usage)
		return command.ExitOK
	case err != nil:
		_ = command.Misused(stderr, "doctor", Usage, err.Error())
		return ExitDoctorUsage
	}
	if err := doctor.WriteList(stdout, doctor.Select(f.only)); err != nil {
		return command.ExitFailed
	}
	return command.ExitOK
}

// runDoctor runs the checks and writes what they found.
func runDoctor(ctx context.Context, f *doctorFlags, cfg *config.Config, notices []config.Notice, problems error,
	stdout, stderr io.Writer) int {
	report := examine(ctx, f, cfg, notices, problems)
	var err error
	if f.json {
		err = report.WriteJSON(stdout)
	} else {
		style := styleOf(stdout)
		style.All = f.all
		err = report.WriteText(stdout, style)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return ExitDoctorUsage
	}
	return report.Status.Exit()
}

// CheckNode runs all checks of the node that in configures.
func CheckNode(ctx context.Context, in config.Input) doctor.Report {
	cfg, notices, problems := config.Load(in)
	return examine(ctx, &doctorFlags{rest: in.Args, environ: os.Environ()}, cfg, notices, problems)
}

// examine returns what `tutti init` shows, too.
func examine(ctx context.Context, f *doctorFlags, cfg *config.Config, notices []config.Notice,
	problems error) doctor.Report {
	began := time.Now()
	w := doctorWorld(cfg, f, notices, problems)
	results := doctor.Run(ctx, w, doctor.Select(f.only),
		doctor.Options{Limit: doctorLimit, Fix: f.fix, Ignored: f.ignore.Match})
	report := doctor.NewReport(process.Version, began, results)
	node, err := w.Running.Get(ctx)
	report.Running = err == nil && node.Up
	report.Millis = time.Since(began).Milliseconds()
	return report
}
