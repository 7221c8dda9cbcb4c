package main

import (
	"crypto/rand"
	"time"

	"github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/server/metrics"
	"github.com/tuttinode/tutti/server/web"
)

// addGateway adds the listener for streams and players. Without orchestrators of
// its own it uses the one in this process.
func (n *node) addGateway() error {
	var orchestrators []string
	for _, o := range n.cfg.Addresses.Orchestrators {
		orchestrators = append(orchestrators, o.String())
	}
	if len(orchestrators) == 0 && n.cfg.Roles.Orchestrator {
		orchestrators = []string{n.cfg.Addresses.Service.String()}
	}
	g, err := gateway.New(gateway.Options{
		Addr:          n.cfg.Addresses.GatewayListen.Addr(),
		Orchestrators: orchestrators,
		Profiles:      n.cfg.Gateway.Ladder.Profiles,
		Routing: gateway.Routing{
			MaxAttempts: n.cfg.Gateway.MaxAttempts, DiscoveryTimeout: n.cfg.Gateway.DiscoveryTimeout,
		},
		Limits:   gateway.Limits{Connections: n.cfg.Limits.MaxConnections},
		Page:     web.Handler(),
		Recorder: n.recorder(metrics.Gateway),
		Log:      n.log,
		Now:      time.Now,
		Rand:     rand.Reader,
	})
	if err != nil {
		return err
	}
	n.add(g)
	return nil
}
