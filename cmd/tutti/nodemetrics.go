package main

import (
	"errors"
	"fmt"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/reward"
	"github.com/tuttinode/tutti/eth/endpoint"
	"github.com/tuttinode/tutti/server/metrics"
)

// watchNode adds the series that are looked up at every scrape and belong to no single
// role. It is called when all parts are there.
func (n *node) watchNode() error {
	if n.metrics == nil {
		return nil
	}
	errs := []error{n.metrics.WatchMachine(n.machine)}
	if n.jobRecords.book != nil {
		errs = append(errs, n.metrics.WatchRequests(n.jobRecords.book.Totals))
	}
	if n.workerServices != nil {
		errs = append(errs, n.metrics.WatchWorkersRefused(n.workersRefused))
	}
	if n.chain != nil {
		errs = append(errs, n.metrics.WatchChain(n.chainState), n.metrics.WatchEndpoints(n.endpointStates),
			n.metrics.WatchRewards(func() reward.Status { return n.chain.Reward() }))
	}
	if n.chain != nil {
		for _, role := range n.gasRoles() {
			errs = append(errs, n.metrics.WatchGas(role, n.chainState))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	return nil
}

// gasRoles are the roles whose transactions cost gas.
func (n *node) gasRoles() []string {
	var roles []string
	if n.cfg.Roles.Orchestrator {
		roles = append(roles, metrics.Orchestrator)
	}
	if n.cfg.Roles.Gateway {
		roles = append(roles, metrics.Gateway)
	}
	if len(roles) == 0 {
		roles = append(roles, metrics.Other)
	}
	return roles
}

func (n *node) workersRefused() map[string]map[fault.Code]uint64 {
	return map[string]map[fault.Code]uint64{"transcoder": n.workerServices.transcoders.Refused(), "ai": n.workerServices.ai.Refused()}
}

func (n *node) chainState() metrics.ChainState {
	return metrics.ChainState{View: n.chain.View(), Place: n.jobRecords.place.Load(), Orchestrator: n.cfg.Roles.Orchestrator, Gas: n.chain.Transactions.Prices()}
}

func (n *node) endpointStates() (out []metrics.EndpointState) {
	for _, s := range n.chain.Node.Endpoints.Status().Endpoints {
		out = append(out, metrics.EndpointState{
			Name: s.Name, State: string(s.State), Serving: s.State == endpoint.Serving || s.State == endpoint.Untried && s.Detail == "",
			Head: s.Head, Lag: s.Lag, Errors: s.ErrorRate, Latency: s.Latency, P95: s.P95,
		})
	}
	return out
}

// machine is what the node needs to go on.
func (n *node) machine() metrics.MachineState {
	s := metrics.MachineState{Ready: len(n.notReady()) == 0}
	if n.dashboardParts.rules != nil {
		s.Draining = n.dashboardParts.rules.Draining()
	}
	if l := n.live.listener; l != nil {
		s.ListenerKnown = true
		s.Connections, s.MostConnections = l.Connections()
	}
	if c := n.live.cert; c != nil {
		if cert := c.Certificate(); cert.Leaf != nil {
			s.CertificateKnown, s.CertificateEnds = true, cert.Leaf.NotAfter
		}
	}
	var err error
	s.DiskFree, s.DiskSize, err = diskSpace(n.cfg.Storage.DataDir)
	s.DiskKnown = err == nil
	return s
}
