package chain

import (
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/adminapi"
)

// Status returns the orchestrator's status on the chain for the public pages; nil off-chain and on
// nodes that are no orchestrator.
func (c *Part) Status(cfg *config.Config) func() (adminapi.PublicStatus, bool) {
	if c == nil || !cfg.Roles.Orchestrator {
		return nil
	}
	return func() (adminapi.PublicStatus, bool) { return adminapi.NewPublicStatus(c.View(), c.Reward()) }
}
