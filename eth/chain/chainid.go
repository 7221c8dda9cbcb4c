package chain

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/eth/endpoint"
)

const (
	// askTimeout is how long an unknown network may take to answer its chain ID.
	askTimeout = 30 * time.Second
	// askGrace is how long the other endpoints have after one answered, askPause the pause between two requests
	// to one that fails.
	askGrace = 5 * time.Second
	askPause = 500 * time.Millisecond
	// maxAskTime bounds one request.
	maxAskTime = 3 * time.Second
)

// ChainID asks the endpoints for the chain ID of a network that is in no table. Every later answer is
// compared with it, and each transaction is signed with it, so one endpoint must not choose it: most have to
// answer alike, or all that answer. Silence is the fault ChainUnavailable, a contradiction ChainDisputed.
func ChainID(ctx context.Context, opt NodeOptions) (uint64, error) {
	const op = "ask the network for its chain ID"
	pools, err := onePerHost(opt)
	if err != nil {
		return 0, err
	}
	var asking sync.WaitGroup
	defer asking.Wait()
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	answers := make(chan uint64, len(pools))
	for _, p := range pools {
		asking.Go(func() {
			defer p.Close()
			answers <- askOne(ctx, p)
		})
	}
	votes, most, n := make(map[uint64]int), uint64(0), 0
	late := time.NewTimer(askTimeout)
	defer late.Stop()
	for range pools {
		select {
		case id := <-answers:
			if id == 0 {
				continue
			}
			if votes[id]++; votes[id] > votes[most] {
				most = id
			}
			if n++; n == 1 {
				late.Reset(askGrace)
			}
		case <-late.C:
			return chosen(op, votes, most)
		}
		if 2*votes[most] > len(pools) {
			return most, nil
		}
	}
	return chosen(op, votes, most)
}

// chosen returns the chain ID of all answers, or of most.
func chosen(op string, answers map[uint64]int, most uint64) (uint64, error) {
	sum := 0
	for _, n := range answers {
		sum += n
	}
	switch {
	case sum == 0:
		return 0, fault.New(fault.ChainUnavailable, op, "no endpoint answered")
	case 2*answers[most] <= sum:
		return 0, fault.New(fault.ChainDisputed, op,
			fmt.Sprintf("the endpoints name %d different chains; remove the wrong ones from -ethUrl", len(answers)))
	}
	return most, nil
}

// onePerHost groups the endpoints by host, so that none decides what the others are compared with, and none
// counts twice.
func onePerHost(opt NodeOptions) ([]*endpoint.Pool, error) {
	opt.Network.ChainID, opt.Board = 0, nil
	if len(opt.Endpoints) == 0 {
		_, err := newEndpoints(opt)
		return nil, err
	}
	var pools []*endpoint.Pool
	for _, host := range endpoint.ByHost(opt.Endpoints) {
		opt.Endpoints = host
		p, err := newEndpoints(opt)
		if err != nil {
			for _, open := range pools {
				open.Close()
			}
			return nil, err
		}
		pools = append(pools, p)
	}
	return pools, nil
}

// askOne asks one endpoint until it answers; 0 when it did not in time.
func askOne(ctx context.Context, p *endpoint.Pool) uint64 {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return 0
		case <-pause.C:
		}
		once, cancel := context.WithTimeout(ctx, maxAskTime)
		_, _ = p.Head(once)
		cancel()
		if id := p.ChainID(); id != 0 {
			return id
		}
		pause.Reset(askPause)
	}
}
