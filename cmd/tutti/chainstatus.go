package main

import (
	"github.com/tuttinode/tutti/core/orchestratorstatus"
)

// chainStatus is the node's place on the chain for the public pages; nil off-chain and
// on nodes that are no orchestrator. It may be asked before the chain's part is
// built, and then knows nothing.
func (n *node) chainStatus() func() (orchestratorstatus.Status, bool) {
	if n.cfg.Chain.Offchain() || !n.cfg.Roles.Orchestrator {
		return nil
	}
	return func() (orchestratorstatus.Status, bool) {
		if n.chain == nil {
			return orchestratorstatus.Status{}, false
		}
		return orchestratorstatus.New(n.chain.View(), n.chain.Reward())
	}
}
