package nodeenv

import (
	"context"
	"fmt"

	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/core"
	coretelemetry "github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/server/telemetry"
)

// addTraces adds what sends spans to the operator's collector, if the configuration names one. It comes before the
// parts that make spans, so it is stopped after them.
func (e *Env) addTraces() error {
	c := &e.Config.Monitoring.Traces
	if c.Endpoint.IsZero() {
		return nil
	}
	var trust coretelemetry.Trust
	for _, t := range c.Trust {
		trust.All, trust.Keys = trust.All || t.All, trust.Keys || t.Keys
		if !t.Gateway.IsZero() {
			trust.Gateways = append(trust.Gateways, t.Gateway)
		}
	}
	x, err := telemetry.NewOTLP(context.Background(), telemetry.OTLPOptions{Endpoint: core.NewSecret(c.Endpoint.Reveal()),
		Ratio: c.Ratio, Trust: trust, Node: command.NodeName(e.Config), Version: process.Version, Board: e.Board, Log: e.Log})
	if err != nil {
		return err
	}
	if e.Metrics != nil {
		if err := e.Metrics.WatchTraces(x.Counts); err != nil {
			return fmt.Errorf("register metrics: %w", err)
		}
	}
	e.Tracer = x.Tracer()
	e.Add(x)
	return nil
}
