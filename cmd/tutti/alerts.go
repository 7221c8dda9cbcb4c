package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/alert"
	"github.com/tuttinode/tutti/core/fault"
	served "github.com/tuttinode/tutti/server/alert"
)

// addAlerts makes who is told of lasting troubles, if anybody is.
func (n *node) addAlerts() error {
	senders, err := alertSenders(n.cfg)
	if err != nil || len(senders) == 0 {
		return err
	}
	n.add(served.New(served.Options{
		Board: n.board, Senders: senders, After: n.cfg.Monitoring.AlertAfter,
		Node: nodeName(n.cfg), Version: version, Log: n.log, Now: time.Now,
	}))
	return nil
}

// alertSenders are those of -alert. The configuration was judged: an error is ours.
func alertSenders(cfg *config.Config) ([]*served.Sender, error) {
	sinks, err := alert.Parse(cfg.Monitoring.AlertSinks.Reveal())
	if err != nil {
		return nil, fault.Wrap(fault.BadOption, "read -alert", err)
	}
	var out []*served.Sender
	for _, s := range sinks {
		out = append(out, served.NewSender(s, nil, time.Now))
	}
	return out, nil
}

// nodeName is what alerts call the node: the machine, and where it is reached.
func nodeName(cfg *config.Config) string {
	name, err := os.Hostname()
	if err != nil {
		name = "unknown"
	}
	if service := cfg.Addresses.Service.String(); service != "" && service != "none" {
		name += " (" + service + ")"
	}
	return name
}

// alertCommand is `tutti alert test [the node's flags]`.
func alertCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if wrong, status := needsWord("alert", args, stdout, stderr); wrong {
		return status
	}
	cfg, _, err := config.Load(input(args[1:]))
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitUsage
	}
	senders, err := alertSenders(cfg)
	if err == nil && len(senders) == 0 {
		err = fault.New(fault.AlertNobody, "test alerts", "")
	}
	if err != nil {
		fmt.Fprintln(stderr, explain(err))
		return exitUsage
	}
	return testAlerts(ctx, cfg, senders, stdout)
}

// testAlerts tells every sink once.
func testAlerts(ctx context.Context, cfg *config.Config, senders []*served.Sender, stdout io.Writer) int {
	status := exitOK
	for _, s := range senders {
		begun := time.Now()
		m := &served.Message{Alert: alert.Test(begun), Node: nodeName(cfg), Version: version}
		_, err := s.Send(ctx, m)
		s.Close()
		if err != nil {
			fmt.Fprintln(stdout, explain(err))
			status = exitFailed
			continue
		}
		fmt.Fprintf(stdout, "%s: told, in %s\n", s.Name(), time.Since(begun).Round(time.Millisecond))
	}
	return status
}
