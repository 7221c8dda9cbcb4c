package adminview

import (
	"errors"
	"fmt"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/endpoint"
	"github.com/tuttinode/tutti/server/metrics"
)

// source are the values of a node.
type source struct {
	*Parts
	notReady func() []string
}

// WatchMetrics adds the series that are looked up at every scrape and belong to no single role. It is
// called when all parts are there; notReady is what keeps the node from work.
func WatchMetrics(all *Parts, notReady func() []string) error {
	p := source{all, notReady}
	if err := p.watchTickets(); err != nil {
		return err
	}
	if p.Metrics == nil {
		return nil
	}
	errs := []error{p.Metrics.WatchMachine(p.machine)}
	if requests := p.Requests(); requests != nil {
		errs = append(errs, p.Metrics.WatchRequests(requests.Totals))
	}
	if p.live() != nil {
		errs = append(errs, p.Metrics.WatchLiveRunners(p.liveState))
	}
	if p.capabilities() != nil {
		errs = append(errs, p.Metrics.WatchCapabilities(p.capabilityState))
	}
	if p.RemoteWorkers() != nil {
		errs = append(errs, p.Metrics.WatchWorkersRefused(p.RemoteWorkers().Refused))
	}
	if p.Chain != nil {
		errs = append(errs, p.Metrics.WatchChain(p.chainState), p.Metrics.WatchEndpoints(p.endpointStates),
			p.Metrics.WatchRewards(func() protocol.RewardStatus { return p.Chain.Reward() }))
	}
	if p.Chain != nil {
		for _, role := range p.gasRoles() {
			errs = append(errs, p.Metrics.WatchGas(role, p.chainState))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	return nil
}

// gasRoles returns the roles whose transactions cost gas.
func (p source) gasRoles() []string {
	var roles []string
	if p.Config.Roles.Orchestrator {
		roles = append(roles, metrics.Orchestrator)
	}
	if p.Config.Roles.Gateway {
		roles = append(roles, metrics.Gateway)
	}
	if len(roles) == 0 {
		roles = append(roles, metrics.Other)
	}
	return roles
}

func (p source) chainState() metrics.ChainState {
	return metrics.ChainState{View: p.Chain.View(), Place: p.Orchestrator.Rank(),
		Orchestrator: p.Config.Roles.Orchestrator, Gas: p.Chain.Transactions.Prices()}
}

func (p source) endpointStates() (out []metrics.EndpointState) {
	for _, s := range p.Chain.Node.Endpoints.Status().Endpoints {
		out = append(out, metrics.EndpointState{
			Name: s.Name, State: string(s.State), Serving: s.State == endpoint.Serving ||
				s.State == endpoint.Untried && s.Detail == "",
			Head: s.Head, Lag: s.Lag, Errors: s.ErrorRate, Latency: s.Latency, P95: s.P95,
		})
	}
	return out
}

// machine returns what the node needs to go on.
func (p source) machine() metrics.MachineState {
	s := metrics.MachineState{Ready: len(p.notReady()) == 0}
	if p.Orchestrator != nil {
		s.Draining = p.Orchestrator.Rules.Draining()
	}
	if p.Orchestrator != nil {
		l := p.Orchestrator.Server
		s.ListenerKnown = true
		s.Connections, s.MostConnections = l.Connections()
	}
	if p.Orchestrator != nil && p.Orchestrator.Cert != nil {
		c := p.Orchestrator.Cert
		if cert := c.Certificate(); cert.Leaf != nil {
			s.CertificateKnown, s.CertificateEnds = true, cert.Leaf.NotAfter
		}
	}
	var err error
	s.DiskFree, s.DiskSize, err = diskSpace(p.Config.Storage.DataDir)
	s.DiskKnown = err == nil
	return s
}
