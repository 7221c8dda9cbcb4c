package gateway

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// renew gets a new token for a lease whose token expires soon. The old session is ended first, so
// that its slot at a full orchestrator is free for the new one; while other segments use it that
// waits, but not until the last minute.
func (g *Gateway) renew(ctx context.Context, j *job, l *lease) videorouting.Renewal {
	const lastMinute = time.Minute
	now := g.opt.Now()
	if !l.Offer.NeedsRefresh(now) || !j.stream.pool.Alone(l) && l.Offer.Expires.Sub(now) > lastMinute {
		return videorouting.Gone
	}
	// If that fails the old token may still work; otherwise the orchestrator will report it.
	return g.renewNow(ctx, j, l)
}

// renewNow gets new terms for a lease, with a new token.
func (g *Gateway) renewNow(ctx context.Context, j *job, l *lease) videorouting.Renewal {
	ctx, cancel := context.WithTimeout(ctx, videorouting.RefreshTimeout)
	defer cancel()
	how := videorouting.Gone
	info, err := g.client.Ask(ctx, l.Offer.URI, j.wants)
	if err == nil {
		offer := g.offerOf(info, &l.Offer)
		if err = g.acceptable(j, l, &offer, info); err == nil {
			var end []upstream.Info
			how, end = j.stream.pool.Renew(l, offer, info)
			for _, old := range end {
				g.end(ctx, old)
			}
		}
	}
	switch {
	case err != nil:
		g.log.Debug("token not renewed", "orchestrator", l.Offer.URI, fault.Attr(err))
	case how == videorouting.TooExpensive:
		g.log.Info("orchestrator raised its price too far; it has to be chosen again",
			"orchestrator", l.Offer.URI, "job", j.stream.id)
	}
	return how
}

// sendWithNewTerms sends a segment once more under new terms, after a report that those of the
// lease are outdated: by this gateway, or by the orchestrator if that is plausible. res and err are
// those of the first attempt, and are returned if there is no second one.
func (g *Gateway) sendWithNewTerms(ctx context.Context, j *job, l *lease, res *upstream.Result,
	err error) (*upstream.Result, error) {
	if !upstream.Unpaid(err) && !g.outdated.Believe(l.Offer.Identity(), l.Offer.Got, g.opt.Now()) {
		return res, newTermsRefused{err}
	}
	if g.renewNow(ctx, j, l) != videorouting.Renewed {
		return res, err
	}
	res, err = g.client.Send(ctx, l.Info, &j.seg)
	if code := fault.CodeOf(err); code == fault.TicketParamsStale || code == fault.ExpiredAuthToken {
		err = newTermsRefused{err}
	}
	return res, err
}

// newTerms returns the terms that came with an answer, nil without usable ones: then the previous ones
// stay, and are renewed when they are worn.
func (g *Gateway) newTerms(j *job, l *lease, info upstream.Info) *videorouting.NewTerms[upstream.Info] {
	if info == nil {
		return nil
	}
	offer := g.offerOf(info, &l.Offer)
	if err := g.acceptable(j, l, &offer, info); err != nil {
		g.log.Debug("terms that came with an answer are not used", "orchestrator", l.Offer.URI, fault.Attr(err))
		return nil
	}
	return &videorouting.NewTerms[upstream.Info]{Offer: offer, Info: info}
}

// acceptable checks new terms of a lease like its first ones. The error is a fault of discovery.
func (g *Gateway) acceptable(j *job, l *lease, offer *videorouting.Offer, info upstream.Info) error {
	const op = "check new terms"
	if err := j.wants.Usable(offer); err != nil {
		return err
	}
	if err := g.opt.Payments.Usable(info); err != nil {
		return err
	}
	if g.opt.Network == nil {
		return nil
	}
	if err := g.opt.Network.CheckTerms(info); err != nil {
		return err
	}
	owner, err := g.opt.Network.OwnerOf(l.Offer.Key(), info)
	switch {
	case err != nil:
		return err
	case owner.Address != l.Offer.Owner:
		return fault.New(fault.OrchestratorUnregistered, op, "the terms belong to another orchestrator")
	}
	if c, ok := g.choiceFor("").(*choice); ok && c.tooExpensive(offer) {
		return fault.New(fault.OrchestratorTooDear, op, offer.URI)
	}
	return nil
}
