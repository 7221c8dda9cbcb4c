package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/cmd/tutti_cli/action"
	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/node"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core/fault"
)

// Exit statuses.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitRefused     = 3
	exitUnreachable = 4
	exitTimedOut    = 5
)

// program is one run of the tool in its surroundings.
type program struct {
	in        *os.File
	out, errs io.Writer
	getenv    func(string) string
	world     verb.World

	set verb.Settings
	// usage is how the verb is called, or the tool where no verb is known.
	usage   string
	console *console.Console
	client  *node.Client
	// status is the exit status of a run without an error.
	status int
}

func (p *program) run(ctx context.Context, args []string) int {
	p.set, p.usage = verb.Defaults(), verb.UsageLine
	p.set.DataDir, p.set.Network = p.getenv("TUTTI_DATA_DIR"), p.getenv("TUTTI_NETWORK")
	// A command line that cannot be read is reported in JSON, too, where that was asked.
	p.set.JSON = slices.Contains(args, "--json") || slices.Contains(args, "-json")
	table := action.Table()
	var helped error
	root := table.Tree(&p.set, verb.Runner{Verb: p.verb, Other: p.other,
		Help: func(ctx context.Context, words []string) { helped = p.help(ctx, words) }})
	root.SetOut(p.out)
	root.SetErr(p.errs)
	root.SetArgs(table.TwoDashes(args))
	c, err := root.ExecuteContextC(ctx)
	if v, _ := table.Find(strings.Fields(c.CommandPath())[1:]); v != nil {
		p.usage = verb.Usage(v)
	}
	if err == nil {
		err = helped
	}
	if err != nil {
		return p.fail(err)
	}
	return p.status
}

// other is a command line without a verb.
func (p *program) other(ctx context.Context, words []string) error {
	switch {
	case p.set.VersionAsked:
		return p.verbNamed(ctx, "version", nil)
	case len(words) == 0:
		return p.menu(ctx)
	}
	// Behind -- a word is not read as a command.
	if v, n := action.Table().Find(words); v != nil {
		return p.verbNamed(ctx, v.Name, words[n:])
	}
	return unknown(action.Table(), words)
}

// help is about a verb, or about what the words behind it name.
func (p *program) help(ctx context.Context, words []string) error {
	if v, n := action.Table().Find(words); v != nil && v.Name != "help" {
		return verb.Help(p.out, v)
	} else if v != nil {
		words = words[n:]
	}
	return p.verbNamed(ctx, "help", words)
}

func (p *program) verbNamed(ctx context.Context, name string, words []string) error {
	v, _ := action.Table().Find(strings.Fields(name))
	texts := make(map[string]string)
	if err := v.Take(texts, words); err != nil {
		return err
	}
	return p.verb(ctx, v, texts)
}

// unknown names the verbs that begin like what was typed.
func unknown(table verb.Table, words []string) error {
	text := "there is no verb " + strconv.Quote(strings.Join(words[:min(2, len(words))], " "))
	if meant := table.Nearest(words); meant != "" {
		return verb.Mistake(text + "; did you mean " + meant + "?")
	}
	if under := table.Under(words[0]); len(under) > 0 {
		var names []string
		for _, v := range under {
			names = append(names, v.Name)
		}
		return verb.Mistake(text + "; there are " + strings.Join(names, ", "))
	}
	return verb.Mistake(text + "; tutti_cli help lists them all")
}

// open prepares terminal and client. An address that cannot be read is reported with
// the first request.
func (p *program) open(menu bool) {
	p.set.Accessible = p.set.Accessible || p.getenv("TERM") == "dumb"
	p.console = console.New(console.Options{
		In: p.in, Out: p.out, Report: p.errs, Menu: menu, Silent: p.set.JSON,
		NoColor: p.set.NoColor || p.set.Accessible || p.getenv("NO_COLOR") != "", Blocks: p.set.Accessible,
	})
}

func (p *program) connect() error {
	address := p.set.URL
	if address == "" {
		address = "http://" + net.JoinHostPort(p.set.Host, strconv.Itoa(p.set.Port))
	}
	sources := node.TokenSources{File: p.set.TokenFile, Env: p.getenv("TUTTI_ADMIN_TOKEN"), DataDir: p.set.DataDir,
		Home: p.world.Home, Network: p.set.Network, Service: p.world.Service}
	var err error
	p.client, err = node.New(node.Options{URL: address, Token: sources.Find})
	return err
}

func (p *program) verb(ctx context.Context, v *verb.Verb, texts map[string]string) error {
	p.open(false)
	if !v.Local {
		if err := p.connect(); err != nil {
			return err
		}
	}
	call := verb.NewCall(v, texts, p.console, p.client, p.set, p.world)
	if err := call.Complete(); err != nil {
		return err
	}
	if err := call.Ready(); err != nil {
		return err
	}
	if err := call.Collect(ctx); err != nil {
		return err
	}
	result, err := v.Run(ctx, call)
	if err != nil {
		return err
	}
	if p.set.JSON {
		err = p.writeJSON(result)
	} else {
		result.Print(p.console.Page())
		p.foretell(v, texts)
	}
	if f, ok := result.(verb.Failing); ok && f.Failed() && err == nil {
		p.status = exitFailed
	}
	return err
}

// foretell ends a dry run with the change that was asked for; what is printed before is how
// things are now.
func (p *program) foretell(v *verb.Verb, texts map[string]string) {
	if !p.set.DryRun || !v.Changes {
		return
	}
	page := p.console.Page()
	page.Row("Would do", v.Wish(texts))
	page.Flush()
}

func (p *program) menu(ctx context.Context) error {
	p.open(true)
	if p.set.JSON || !p.console.CanAsk() {
		p.open(false)
		return verb.Mistake("a verb is missing; tutti_cli help lists them. The menu needs a terminal")
	}
	if err := p.connect(); err != nil {
		return err
	}
	m := Menu{Console: p.console, Table: action.Table(), Failed: p.report, Call: func(v *verb.Verb) *verb.Call {
		c := verb.NewCall(v, nil, p.console, p.client, p.set, p.world)
		c.Menu = true
		return c
	}}
	return m.Run(ctx)
}

// fail reports a failure and is its exit status.
func (p *program) fail(err error) int {
	if p.set.JSON {
		if verb.Interrupted(err) {
			err = fault.New(fault.ActionDeclined, "run the verb", "interrupted")
		}
		if writeErr := p.writeJSON(map[string]node.Problem{"error": node.Explain(err)}); writeErr != nil {
			fmt.Fprintln(p.errs, writeErr)
		}
		return status(err)
	}
	p.report(err)
	return status(err)
}

func (p *program) report(err error) {
	if p.console == nil {
		p.open(false)
	}
	if verb.Interrupted(err) {
		fmt.Fprintln(p.errs)
		p.console.Report("Interrupted; nothing was sent since the last message.")
		return
	}
	e := node.Explain(err)
	p.console.Report("%s", p.console.ReportStyle.Bad(e.Code+": "+e.Message))
	if e.Remedy != "" {
		p.console.Report("  Remedy: %s", console.Unmarked(e.Remedy))
	}
	if e.Code == string(fault.CommandLineInvalid) {
		p.console.Report("  Usage:  %s", p.usage)
	}
	p.console.Report("  More:   tutti_cli help %s", e.Code)
}

// statuses are the exit statuses of the codes that have one of their own. Read-only.
var statuses = map[string]int{
	string(fault.CommandLineInvalid): exitUsage, string(fault.ConfirmationMissing): exitUsage,
	string(fault.ValueUnusual): exitRefused, string(fault.ActionDeclined): exitRefused,
	string(fault.PullInterrupted): exitRefused,
	string(fault.NodeUnreachable): exitUnreachable, string(fault.WaitTimedOut): exitTimedOut,
	string(fault.OutcomeUnknown): exitTimedOut,
}

func status(err error) int {
	if verb.Interrupted(err) {
		return exitRefused
	}
	if s, ok := statuses[node.Code(err)]; ok {
		return s
	}
	return exitFailed
}

func (p *program) writeJSON(v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	_, err = p.out.Write(append(text, '\n'))
	return err
}
