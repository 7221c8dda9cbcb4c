package doctorcmd

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
	client "github.com/tuttinode/tutti/cmd/tutti_cli/node"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
)

const ExplainUsage = `usage: tutti doctor explain [-json] [-node http://127.0.0.1:7935 | the node's flags]
Asks the running node why no jobs come, and lists the reasons in order of weight.
`

// explainCommand is `tutti doctor explain`.
func explainCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	asJSON, address, err := explainFlags(args)
	if err != nil {
		fmt.Fprintln(stderr, err)
		fmt.Fprint(stderr, ExplainUsage)
		return command.ExitUsage
	}
	home, _ := os.UserHomeDir()
	tokens := client.TokenSources{Env: os.Getenv("TUTTI_ADMIN_TOKEN"), Home: home, DataDir: os.Getenv("TUTTI_DATA_DIR"),
		Network: os.Getenv("TUTTI_NETWORK"), Service: config.ServiceDataDir(os.ReadFile)}
	running, err := client.New(client.Options{URL: address, Token: tokens.Find})
	if err != nil {
		fmt.Fprintln(stderr, command.Describe(err))
		return command.ExitUsage
	}
	var out adminapi.Explanation
	if err := running.Get(ctx, adminapi.PathExplain, &out); err != nil {
		fmt.Fprintln(stderr, command.Describe(err))
		return command.ExitFailed
	}
	if asJSON {
		enc := json.NewEncoder(stdout)
		enc.SetIndent("", "  ")
		err = enc.Encode(out)
	} else {
		err = writeExplanation(stdout, &out)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return command.ExitFailed
	}
	return command.ExitOK
}

// explainFlags takes this command's own flags; what is left are a node's, which say
// where its admin listener is.
func explainFlags(args []string) (asJSON bool, address string, err error) {
	flags := flag.NewFlagSet("explain", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&asJSON, "json", false, "")
	flags.StringVar(&address, "node", "", "")
	var rest []string
	for i := 0; i < len(args); i++ {
		name, _, _ := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		switch {
		case name == "node" && strings.HasPrefix(args[i], "-") && !strings.Contains(args[i], "=") && i+1 < len(args):
			err = flags.Parse(args[i : i+2])
			i++
		case (name == "json" || name == "node") && strings.HasPrefix(args[i], "-"):
			err = flags.Parse(args[i : i+1])
		default:
			rest = append(rest, args[i])
		}
		if err != nil {
			return false, "", err
		}
	}
	if address == "" {
		address, err = adminOf(rest)
	} else if len(rest) > 0 {
		err = errors.New("-node says where the node is; its flags are not needed then")
	}
	return asJSON, address, err
}

// adminOf returns where a node with these flags listens; without any, where an orchestrator
// does.
func adminOf(args []string) (string, error) {
	const usual = "http://127.0.0.1:7935"
	if len(args) == 0 {
		return usual, nil
	}
	cfg, _, err := config.Load(command.Input(args))
	if cfg == nil || err != nil {
		return "", err
	}
	if path := cfg.Addresses.AdminSocket; path != "" {
		return "unix:" + path, nil
	}
	return "http://" + cfg.Addresses.AdminListen.Addr(), nil
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
