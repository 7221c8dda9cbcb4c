package orchestrator

import (
	"context"
	"time"

	reasons "github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/protocol"
)

const (
	// rankEvery is how often the pool is read when nothing calls for it: a hundred
	// records are some requests to the endpoint.
	rankEvery = 20 * time.Minute
	// rankRetry is after a read that failed, or before the chain is known.
	rankRetry = 15 * time.Second
	// rankTimeout bounds a read.
	rankTimeout = 5 * time.Second
)

// rankWatcher reads the rank of the orchestrator in the pool.
type rankWatcher struct{ p *Part }

// Name returns the component's name.
func (*rankWatcher) Name() string { return "place in the pool" }

// Run reads the pool now and then, and when the round, the stake or the pool's size
// changed.
func (k *rankWatcher) Run(ctx context.Context, ready func()) error {
	events := make(chan struct{}, 1)
	stop := k.p.chain.Chain.Subscribe(func(e protocol.Event) {
		switch e.(type) {
		case protocol.RoundSeen, protocol.SelfSeen, protocol.PoolSeen:
			select {
			case events <- struct{}{}:
			default:
			}
		}
	})
	defer stop()
	ready()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-events:
		case <-timer.C:
		}
		pause := rankEvery
		if !k.read(ctx) {
			pause = rankRetry
		}
		timer.Reset(pause)
	}
}

// read reports whether the place is known now.
func (k *rankWatcher) read(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, rankTimeout)
	defer cancel()
	v := k.p.chain.View()
	if !v.Known {
		return false
	}
	pool, err := k.p.chain.Chain.Pool(ctx)
	if err != nil {
		return false
	}
	p, err := k.p.chain.Chain.Parameters(ctx)
	if err != nil {
		return false
	}
	place := reasons.PoolRankOf(pool, v.Self, p.PoolMaxSize)
	place.Round, place.At = v.Round.Number, time.Now()
	k.p.rank.Store(&place)
	return true
}
