package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
)

const GatewayUsage = `usage: tutti gateway route -explain REQUEST.json [-json]
                           [-operation chat|completion|embedding|rerank]
                           [-node http://127.0.0.1:5935 | the node's flags]

Asks the running gateway which orchestrators would get a request, in which order, and why not the others.
Nothing is sent to an orchestrator. REQUEST.json is the body as an application sends it, - is standard input.
`

// maxRequest bounds the file of a request, in bytes; the admin API takes no more.
const maxRequest = 1 << 20

// RunGateway is `tutti gateway …`.
func RunGateway(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if wrong, status := NeedsWord("gateway", GatewayUsage, args, stdout, stderr); wrong {
		return status
	}
	flags := flag.NewFlagSet("route", flag.ContinueOnError)
	file := flags.String("explain", "", "")
	operation := flags.String("operation", "", "")
	asJSON := flags.Bool("json", false, "")
	running, err := RunningNode(flags, args[1:], UsualGatewayAdmin)
	if err == nil && *file == "" {
		err = errors.New("-explain REQUEST.json is missing")
	}
	if err != nil {
		return Misused(stderr, "gateway", GatewayUsage, describeUse(err))
	}
	request, err := readRequest(*file)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return ExitUsage
	}
	var plan adminapi.RoutePlan
	question := adminapi.RouteQuestion{Operation: *operation, Request: request}
	err = running.Post(ctx, adminapi.PathRouteExplain, nil, question, &plan)
	switch {
	case err != nil:
	case *asJSON:
		err = WriteJSON(stdout, plan)
	default:
		err = writePlan(stdout, &plan)
	}
	if err != nil {
		fmt.Fprintln(stderr, Describe(err))
		return ExitFailed
	}
	return ExitOK
}

// readRequest reads a request's body from a file.
func readRequest(path string) (json.RawMessage, error) {
	in := os.Stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	b, err := io.ReadAll(io.LimitReader(in, maxRequest+1))
	switch {
	case err != nil:
		return nil, err
	case len(b) > maxRequest:
		return nil, fmt.Errorf("%s has more than %d bytes", path, maxRequest)
	case !json.Valid(b):
		return nil, fmt.Errorf("%s is not JSON", path)
	}
	return b, nil
}

// writePlan writes a plan for people.
func writePlan(w io.Writer, plan *adminapi.RoutePlan) error {
	var b strings.Builder
	for i := range plan.Models {
		m := &plan.Models[i]
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s", cmp.Or(m.Model, m.Name))
		if m.Name != m.Model {
			fmt.Fprintf(&b, " for %s", m.Name)
		}
		fmt.Fprintf(&b, " (%s)\n", m.Why)
		switch {
		case m.Refreshed == nil:
			b.WriteString("  No offers are known: the gateway asks for them with the first request for the model.\n")
		case len(m.Orchestrators) == 0:
			fmt.Fprintf(&b, "  No orchestrator offered it at %s.\n", Stamp(*m.Refreshed))
		default:
			writeOrchestrators(&b, m.Orchestrators)
		}
	}
	_, err := io.WriteString(w, fault.Printable(b.String()))
	return err
}

// writeOrchestrators writes a line for each.
func writeOrchestrators(b *strings.Builder, all []adminapi.RoutedOrchestrator) {
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for i := range all {
		o := &all[i]
		turn := "-"
		if o.Rank > 0 {
			turn = fmt.Sprint(o.Rank)
		}
		text := o.Says
		if len(o.Missing) > 0 {
			text += ": " + strings.Join(o.Missing, ", ")
		}
		if o.Until != nil {
			text += ", until " + Stamp(*o.Until)
		}
		fmt.Fprintf(table, "  %s\t%s\t%s wei\t%s\t%s\n", turn, o.URI, o.Price, o.Reason, text)
	}
	_ = table.Flush() // a builder takes all
}
