package configcmd

import (
	"context"
	"fmt"
	"io"

	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
	"github.com/tuttinode/tutti/cmd/tutti/internal/modelconfig"
	"github.com/tuttinode/tutti/config"
)

const Usage = `usage: tutti config check [--all] [--json] [the node's flags]

Says whether a node with these flags would start, every problem, and what was set where.
Nothing is started. Without flags it looks at the packages' service, where there is one.

  --all    show every option, those with their defaults too
  --json   write JSON

The exit status is 0 when the configuration is valid, 1 when the node would start and not
serve every AI model, 2 when it would not start.
`

// Run is `tutti config check [flags]`.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if wrong, status := command.NeedsWord("config", Usage, args, stdout, stderr); wrong {
		return status
	}
	check := new(config.Check)
	write := check.WriteText
	var rest []string
	for _, a := range args[1:] {
		switch {
		case command.AsksHelp(a):
			fmt.Fprint(stdout, Usage)
			return command.ExitOK
		case command.IsFlag(a, "all"):
			check.All = true
		case command.IsFlag(a, "json"):
			write = check.WriteJSON
		default:
			rest = append(rest, a)
		}
	}
	check.Config, check.Notices, check.Problems = config.Load(command.Input(command.ServiceArgs(rest, stderr)))
	if check.Starts() {
		_ = modelconfig.Check(ctx, check) // it is in what is shown
	}
	if err := write(stdout); err != nil {
		fmt.Fprintln(stderr, err)
		return command.ExitFailed
	}
	switch {
	case !check.Starts():
		return command.ExitUsage
	case !check.Valid():
		return command.ExitFailed
	}
	return command.ExitOK
}
