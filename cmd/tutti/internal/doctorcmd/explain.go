package doctorcmd

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
)

const ExplainUsage = `usage: tutti doctor explain [-json] [-node http://127.0.0.1:7935 | the node's flags]
Asks the running node why no jobs come, and lists the reasons in order of weight.
`

// explainCommand is `tutti doctor explain`.
func explainCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("explain", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	running, err := command.RunningNode(flags, args, command.UsualAdmin)
	if err != nil {
		fmt.Fprintln(stderr, command.Describe(err))
		fmt.Fprint(stderr, ExplainUsage)
		return command.ExitUsage
	}
	var out adminapi.Explanation
	if err := running.Get(ctx, adminapi.PathExplain, &out); err != nil {
		fmt.Fprintln(stderr, command.Describe(err))
		return command.ExitFailed
	}
	if *asJSON {
		err = command.WriteJSON(stdout, out)
	} else {
		err = writeExplanation(stdout, &out)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return command.ExitFailed
	}
	return command.ExitOK
}

// writeExplanation writes it for people.
func writeExplanation(w io.Writer, e *adminapi.Explanation) error {
	var b strings.Builder
	fmt.Fprintln(&b, e.Summary)
	if p := e.Place; p != nil {
		fmt.Fprintf(&b, "Place: rank %d of %d, %s LPT; the last one has %s LPT.\n", p.Rank, p.Members, p.Stake.Tokens(),
			p.Last.Tokens())
	}
	for i, f := range e.Findings {
		fmt.Fprintf(&b, "\n%d. [%s] %s", i+1, f.Weight, f.Says)
		if f.Code != "" {
			fmt.Fprintf(&b, " (%s)", f.Code)
		}
		fmt.Fprintln(&b)
		for _, line := range f.Evidence {
			fmt.Fprintf(&b, "     - %s\n", line)
		}
		if f.Remedy != "" {
			fmt.Fprintf(&b, "   What to do: %s\n", f.Remedy)
		}
	}
	if len(e.Findings) == 0 {
		fmt.Fprintln(&b, "\nNothing keeps work away, as far as this node can tell.")
	} else if e.Findings[0].Code != "" {
		_, known := fault.Lookup(fault.Code(e.Findings[0].Code))
		if known {
			fmt.Fprintf(&b, "\n`tutti help %s` says more.\n", e.Findings[0].Code)
		}
	}
	_, err := io.WriteString(w, fault.Printable(b.String()))
	return err
}
