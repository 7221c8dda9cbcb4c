package live

import (
	"context"
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// How far ahead of its work a stream is paid: nodes of the existing network want a minute, our own an interval.
const (
	aheadNetwork = time.Minute
	aheadOwn     = 10 * time.Second
)

// Tokens and ticket parameters last for half an hour, so a stream gets new ones every refreshEvery, and after a
// failure after refreshAgain.
const (
	refreshEvery = 6 * time.Minute
	refreshAgain = 30 * time.Second
)

// payments pays for a stream at one orchestrator.
type payments struct {
	Prepaid
	offer    *offer
	client   string
	interval time.Duration
	ahead    time.Duration
	log      *slog.Logger
}

// Run pays an interval's work at each interval until ctx ends. A payment that fails is tried again at the next one: the
// orchestrator ends the stream when it has waited long enough.
func (p *payments) Run(ctx context.Context, manifest string) error {
	return p.run(ctx, p.offer.client.LivePayments(p.offer.terms, core.ManifestID(manifest), p.client))
}

// payer pays, and gets new terms before those that it has end.
type payer interface {
	Pay(ctx context.Context, units int64) (upstream.Payment, error)
	Refresh(ctx context.Context) error
}

var _ payer = (*upstream.LivePayments)(nil)

func (p *payments) run(ctx context.Context, to payer) error {
	refresh := p.Begun.Add(refreshEvery)
	tick := time.NewTicker(p.interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		if now := p.Now(); !now.Before(refresh) {
			refresh = now.Add(refreshEvery)
			if err := to.Refresh(ctx); err != nil {
				refresh = now.Add(refreshAgain)
				p.log.Warn("a live stream has no new terms", "orchestrator", p.uri(), fault.Attr(err))
			}
		}
		p.Settle()
		missing := p.Missing(p.ahead)
		if missing <= 0 {
			continue
		}
		missing = p.Within(missing, p.ahead)
		paid, err := to.Pay(ctx, missing)
		if err != nil {
			p.log.Warn("a live stream is not paid for", "orchestrator", p.uri(), fault.Attr(err))
			continue
		}
		p.Add(paid, missing)
	}
}

func (p *payments) uri() string {
	if p.offer == nil {
		return ""
	}
	return p.offer.URI()
}
