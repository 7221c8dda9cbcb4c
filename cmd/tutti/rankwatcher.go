package main

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/adminview"
	reasons "github.com/tuttinode/tutti/core/jobdiagnosis"
	"github.com/tuttinode/tutti/core/protocol"
)

const (
	// rankEvery is how often the pool is read when nothing calls for it: a hundred
	// records are some requests to the endpoint.
	rankEvery = 20 * time.Minute
	// rankRetry is after a read that failed, or before the chain is known.
	rankRetry = 15 * time.Second
)

// rankWatcher reads the rank of the orchestrator in the pool.
type rankWatcher struct{ n *node }

// addRankWatcher adds it to an orchestrator on the chain.
func (n *node) addRankWatcher() {
	if n.chain != nil {
		n.add(&rankWatcher{n})
	}
}

// Name is the component's name.
func (*rankWatcher) Name() string { return "place in the pool" }

// Run reads the pool now and then, and when the round, the stake or the pool's size
// changed.
func (k *rankWatcher) Run(ctx context.Context, ready func()) error {
	news := make(chan struct{}, 1)
	stop := k.n.chain.Chain.Subscribe(func(e protocol.Event) {
		switch e.(type) {
		case protocol.RoundSeen, protocol.SelfSeen, protocol.PoolSeen:
			select {
			case news <- struct{}{}:
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
		case <-news:
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
	ctx, cancel := context.WithTimeout(ctx, adminview.LookTimeout)
	defer cancel()
	v := k.n.chain.View()
	if !v.Known {
		return false
	}
	pool, err := k.n.chain.Chain.Pool(ctx)
	if err != nil {
		return false
	}
	p, err := k.n.chain.Chain.Parameters(ctx)
	if err != nil {
		return false
	}
	place := reasons.PoolRankOf(pool, v.Self, p.PoolMaxSize)
	place.Round, place.At = v.Round.Number, time.Now()
	k.n.jobRecords.place.Store(&place)
	return true
}
