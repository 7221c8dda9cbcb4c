package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	served "github.com/tuttinode/tutti/server/alert"
)

const AlertUsage = `usage: tutti alert test [the node's flags]

Sends a test alert to every address of -alert and says what became of it.
`

// AlertSenders returns those of -alert. The configuration was checked, so an error is ours.
func AlertSenders(cfg *config.Config) ([]*served.Sender, error) {
	sinks, err := health.ParseSinks(cfg.Monitoring.AlertSinks.Reveal())
	if err != nil {
		return nil, fault.Wrap(fault.BadOption, "read -alert", err)
	}
	var out []*served.Sender
	for _, s := range sinks {
		out = append(out, served.NewSender(s, nil, time.Now))
	}
	return out, nil
}

// NodeName returns what alerts call the node: the machine, and where it is reached.
func NodeName(cfg *config.Config) string {
	name, err := os.Hostname()
	if err != nil {
		name = "unknown"
	}
	if service := cfg.Addresses.Service.String(); service != "" && service != "none" {
		name += " (" + service + ")"
	}
	return name
}

// RunAlert is `tutti alert test [the node's flags]`.
func RunAlert(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if wrong, status := NeedsWord("alert", AlertUsage, args, stdout, stderr); wrong {
		return status
	}
	cfg, _, err := config.Load(Input(args[1:]))
	if err != nil {
		fmt.Fprintln(stderr, err)
		return ExitUsage
	}
	senders, err := AlertSenders(cfg)
	if err == nil && len(senders) == 0 {
		err = fault.New(fault.AlertNobody, "test alerts", "")
	}
	if err != nil {
		fmt.Fprintln(stderr, Describe(err))
		return ExitUsage
	}
	return testAlerts(ctx, cfg, senders, stdout)
}

// testAlerts sends every sink one alert.
func testAlerts(ctx context.Context, cfg *config.Config, senders []*served.Sender, stdout io.Writer) int {
	status := ExitOK
	for _, s := range senders {
		begun := time.Now()
		m := &served.Message{Alert: health.NewTestAlert(begun), Node: NodeName(cfg), Version: process.Version}
		_, err := s.Send(ctx, m)
		s.Close()
		if err != nil {
			fmt.Fprintln(stdout, Describe(err))
			status = ExitFailed
			continue
		}
		fmt.Fprintf(stdout, "%s: sent, in %s\n", s.Name(), time.Since(begun).Round(time.Millisecond))
	}
	return status
}
