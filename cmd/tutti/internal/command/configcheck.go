package command

import (
	"context"
	"fmt"
	"io"

	"github.com/tuttinode/tutti/cmd/tutti/internal/modelconfig"
	"github.com/tuttinode/tutti/config"
)

const ConfigUsage = `usage: tutti config check [--all] [--json] [the node's flags]

Says whether a node with these flags would start, every problem, and what was set where.
Nothing is started. Without flags it looks at the packages' service, where there is one.

  --all    show every option, those with their defaults too
  --json   write JSON

The exit status is 0 when the configuration is valid, 1 when the node would start and not
serve every AI model, 2 when it would not start.
`

// RunConfig is `tutti config check [flags]`.
func RunConfig(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if wrong, status := NeedsWord("config", ConfigUsage, args, stdout, stderr); wrong {
		return status
	}
	check := new(config.Check)
	write := check.WriteText
	var rest []string
	for _, a := range args[1:] {
		switch {
		case AsksHelp(a):
			fmt.Fprint(stdout, ConfigUsage)
			return ExitOK
		case IsFlag(a, "all"):
			check.All = true
		case IsFlag(a, "json"):
			write = check.WriteJSON
		default:
			rest = append(rest, a)
		}
	}
	check.Config, check.Notices, check.Problems = config.Load(Input(ServiceArgs(rest, stderr)))
	if check.Starts() {
		_ = modelconfig.Check(ctx, check) // it is in what is shown
	}
	if err := write(stdout); err != nil {
		fmt.Fprintln(stderr, err)
		return ExitFailed
	}
	switch {
	case !check.Starts():
		return ExitUsage
	case !check.Valid():
		return ExitFailed
	}
	return ExitOK
}
