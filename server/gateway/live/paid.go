package live

import (
	"context"
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// How far ahead of its work a stream is paid: nodes of the existing network want a minute, our own an interval.
const (
	aheadNetwork = time.Minute
	aheadOwn     = 10 * time.Second
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
	to := p.offer.client.LivePayments(p.offer.terms, core.ManifestID(manifest), p.client)
	tick := time.NewTicker(p.interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		p.Settle()
		missing := p.Missing(p.ahead)
		if missing <= 0 {
			continue
		}
		paid, err := to.Pay(ctx, missing)
		if err != nil {
			p.log.Warn("a live stream is not paid for", "orchestrator", p.offer.URI(), fault.Attr(err))
			continue
		}
		p.Add(paid, missing)
	}
}
