package gateway

import (
	"context"
	"errors"

	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/server/apikeystore"
)

var _ process.LastAnswers = (*Part)(nil)

// Unfinished returns how many answers of models are in progress.
func (p *Part) Unfinished() int { return p.Server.Unfinished() }

// Finish waits in the old process of an upgrade until the answers in progress have ended, for -upgradeAnswers at most.
// What they use is passed on to the new process by the database meanwhile.
func (p *Part) Finish(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, p.Config.Limits.UpgradeAnswers)
	defer cancel()
	return p.keys.Finish(ctx, func(ctx context.Context) error {
		var batches error
		if p.batches != nil { // before the listener's, which ends what serves their requests
			batches = p.batches.Finish(ctx)
		}
		return errors.Join(batches, p.Server.Finish(ctx))
	})
}

// Keys are the API keys of the gateway's clients.
func (p *Part) Keys() *apikeystore.Authorizer { return p.keys }
