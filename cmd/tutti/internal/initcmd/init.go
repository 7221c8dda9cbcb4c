package initcmd

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/fault"
)

const Usage = `usage: tutti init [flags]

Asks at most seven questions, writes the node's configuration and its secrets, takes
over what an existing node left, looks whether all is well (tutti doctor), and says
how many steps on the chain are left and what they cost. It sends no transaction, and
replaces no file unasked. An empty line takes the likely answer, ? explains a question.
The exit status is 1 when a check fails: fix first what it names.

  --role R              orchestrator, orchestrator-ai, transcoder, ai-worker or gateway
  --network N           arbitrum-one-mainnet or offchain
  --ethUrl URL          layer-2 RPC endpoints, several between commas
  --orchAddr H:P        transcoder, AI worker, off-chain gateway: the orchestrators
  --orchSecret S        transcoder, AI worker: the orchestrator's secret, or a file with it
  --serviceAddr H:P     orchestrator: where gateways reach the node
  --pricePerUnit P      orchestrator: price of a pixel in wei, or an amount such as 0.1USD
  --maxPricePerUnit P   gateway: the most that is paid for a pixel
  --gpu G               all, 0,1 or cpu
  --aiModels FILE       AI: the models file
  --ethPassword FILE    passphrase of the key, or a file with it

  --moveFrom DIR        data directory of an existing node; root is asked about other users'
  --answers FILE        a file with answers: key, space, value in a line
  --yes                 ask nothing: what is not given gets its default
  --dir DIR             where the files go: /etc/tutti for root, else ~/.config/tutti
  --force               replace files that are there; they are kept next to the new ones
  --skipChecks          do not run the doctor, and do not ask the chain
  --publicIPLookup URL  the service that knows this machine's public address; none for no question
`

// Run is `tutti init`.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	t := &initTool{stdout: stdout, stderr: stderr, now: time.Now, answers: Answers{}}
	err := t.parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, Usage)
		return command.ExitOK
	}
	if err == nil {
		t.console = console.New(console.Options{In: os.Stdin, Out: stdout, Report: stdout, Silent: t.yes,
			NoColor: os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb"})
		err = t.run(ctx)
	}
	if err == nil && t.failing {
		return command.ExitFailed
	}
	if err == nil {
		return command.ExitOK
	}
	fmt.Fprintln(stderr, command.Describe(err))
	if errors.Is(err, fault.SetupAnswer) {
		return command.ExitUsage
	}
	return command.ExitFailed
}

// initTool is one use of it.
type initTool struct {
	stdout, stderr io.Writer
	now            func() time.Time
	console        *console.Console
	answers        Answers
	found          Found
	install        installation

	dir, lookup string
	// moveFrom is an existing node's data directory that was named.
	moveFrom               string
	yes, force, skipChecks bool
	// failing: a check found what keeps the node from its work.
	failing bool
}

// parse reads the flags. Answers of a file count less than those of flags.
func (t *initTool) parse(args []string) error {
	flags := flag.NewFlagSet("tutti init", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	file := flags.String("answers", "", "")
	flags.StringVar(&t.dir, "dir", "", "")
	flags.StringVar(&t.moveFrom, "moveFrom", "", "")
	flags.StringVar(&t.lookup, "publicIPLookup", "https://api.ipify.org", "")
	flags.BoolVar(&t.yes, "yes", false, "")
	flags.BoolVar(&t.force, "force", false, "")
	flags.BoolVar(&t.skipChecks, "skipChecks", false, "")
	given := Answers{}
	for _, key := range Keys() {
		flags.Func(string(key), "", func(s string) error { given[key] = s; return nil })
	}
	err := flags.Parse(args)
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("what is %q?", flags.Arg(0))
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		return err
	case err != nil:
		return fault.Wrap(fault.SetupAnswer, "read the flags", err)
	}
	if t.moveFrom != "" && !oldNode(t.moveFrom) {
		return fault.New(fault.SetupAnswer, "read the flags", "there is no existing node in "+t.moveFrom)
	}
	if *file != "" {
		text, err := os.ReadFile(*file)
		if err == nil {
			err = t.answers.Read(string(text))
		}
		if err != nil {
			return fault.Wrap(fault.SetupAnswer, "read the answers", err)
		}
	}
	for key, text := range given {
		t.answers[key] = text
	}
	return nil
}

func (t *initTool) run(ctx context.Context) error {
	var err error
	if t.install, err = findInstallation(t.dir); err != nil {
		return err
	}
	t.console.Report("%s", t.console.ReportStyle.Title("Setting up a tutti node"))
	t.look(ctx)
	if err := t.askAboutOthers(ctx); err != nil {
		return err
	}
	if err := t.ask(ctx); err != nil {
		return err
	}
	if err := t.settlePlace(); err != nil {
		return err
	}
	files := Files(t.answers, t.install.Places)
	cfg, err := t.loadAsNode(files)
	if err != nil {
		return err
	}
	if err := t.write(ctx, files); err != nil {
		return err
	}
	if !cfg.Chain.Offchain() {
		if err := t.account(ctx, cfg); err != nil {
			return err
		}
	}
	if !t.skipChecks {
		t.checks(ctx)
		if t.answers.Earns() {
			t.foretell(ctx, cfg)
		}
	}
	t.next(cfg.Addresses.AdminListen.Addr())
	return nil
}

// ask asks what is not known, and checks every answer.
func (t *initTool) ask(ctx context.Context) error {
	for key, text := range t.answers {
		if err := t.check(key, text); err != nil {
			return err
		}
	}
	for {
		q, more := Next(t.answers, t.found)
		if !more {
			return nil
		}
		text, err := t.askOne(ctx, q)
		if err != nil {
			return err
		}
		t.answers[q.Key] = text
	}
}

// askOne gets one answer: from the operator, or its default where no prompt is possible.
func (t *initTool) askOne(ctx context.Context, q question) (string, error) {
	if !t.console.CanAsk() {
		if q.Needed && q.Default == "" {
			return "", fault.New(fault.SetupAnswer, "set up the node",
				"no prompt is possible, and --"+string(q.Key)+" is not given: "+q.Text)
		}
		return q.Default, nil
	}
	t.console.Report("")
	t.print(q.Help)
	for i, c := range q.Choices {
		t.console.Report("  %d. %s", i+1, c.Text)
	}
	for {
		text, err := t.put(ctx, q)
		if err != nil {
			return "", err
		}
		if text == "?" {
			t.print(q.Why)
			continue
		}
		if len(q.Choices) > 0 {
			i, err := strconv.Atoi(text)
			if err != nil || i < 1 || i > len(q.Choices) {
				t.console.Report("Please type a number from 1 to %d, or ? for an explanation.", len(q.Choices))
				continue
			}
			text = q.Choices[i-1].Value
		}
		if text == "" && q.Needed {
			t.console.Report("%s", "An answer is needed here.")
			continue
		}
		if err := t.check(q.Key, text); err != nil {
			_, why := fault.Public(err)
			t.console.Report("%s", why)
			continue
		}
		return text, nil
	}
}

func (t *initTool) print(lines []string) {
	for _, line := range lines {
		t.console.Report("%s", line)
	}
}

// put puts one question. An empty line is the likely answer; of choices it is a number.
func (t *initTool) put(ctx context.Context, q question) (string, error) {
	likely := q.Default
	if i := slices.IndexFunc(q.Choices, func(c Choice) bool { return c.Value == q.Default }); i >= 0 {
		likely = strconv.Itoa(i + 1)
	}
	if q.Secret {
		return t.console.Secret(ctx, q.Text)
	}
	return t.console.Ask(ctx, q.Text, likely)
}

// check applies the node's own rules to one answer.
func (t *initTool) check(key Key, text string) error {
	const op = "set up the node"
	if text == "" {
		return nil
	}
	switch key {
	case Role:
		if !isRole(text) {
			return fault.New(fault.SetupAnswer, op, fmt.Sprintf("%q is no role: orchestrator, orchestrator-ai, transcoder, "+
				"ai-worker or gateway", text))
		}
		return nil
	case Passphrase, OrchestratorPass:
		if strings.HasPrefix(text, "/") {
			if _, err := os.ReadFile(text); err != nil {
				return fault.Wrap(fault.SetupAnswer, op, err)
			}
		}
		return nil
	case Devices:
		if text == cpu {
			return nil
		}
	}
	_, _, err := config.Load(config.Input{Args: []string{"-" + string(key) + "=" + text}, ReadFile: os.ReadFile})
	problems, _ := errors.AsType[config.Problems](err)
	for _, p := range problems {
		if strings.HasPrefix(p.Subject, "-"+string(key)) &&
			slices.Contains([]fault.Code{fault.BadOption, fault.PriceImplausible, fault.ConfigUnreadable}, p.Code) {
			return fault.New(fault.SetupAnswer, op, p.Text+"; "+p.Remedy)
		}
	}
	return nil
}
