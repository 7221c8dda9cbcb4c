package onchain

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/eth/endpoint"
)

const (
	// askTimeout is how long a network that is in no table may take to say what it is.
	askTimeout = 30 * time.Second
	// askGrace is how long the other endpoints have after one answered, askPause the
	// time between two questions to one that fails.
	askGrace = 5 * time.Second
	askPause = 500 * time.Millisecond
	// askMost is how long one question may take.
	askMost = 3 * time.Second
)

// ChainID asks the endpoints for the number of a chain that nobody knows by its
// name. Every later answer is held against it, and it is signed with each transaction,
// so that one endpoint does not choose it: most have to say the same, or those that
// answer where the others do not. Silence is the fault ChainUnavailable, a
// contradiction ChainDisputed.
func ChainID(ctx context.Context, opt Options) (uint64, error) {
	const op = "ask the network for its chain ID"
	pools, err := singles(opt)
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
	said, most, n := make(map[uint64]int), uint64(0), 0
	late := time.NewTimer(askTimeout)
	defer late.Stop()
	for range pools {
		select {
		case id := <-answers:
			if id == 0 {
				continue
			}
			if said[id]++; said[id] > said[most] {
				most = id
			}
			if n++; n == 1 {
				late.Reset(askGrace)
			}
		case <-late.C:
			return chosen(op, said, most)
		}
		if 2*said[most] > len(pools) {
			return most, nil
		}
	}
	return chosen(op, said, most)
}

// chosen is the number on which all agree that answered, or most of them.
func chosen(op string, said map[uint64]int, most uint64) (uint64, error) {
	sum := 0
	for _, n := range said {
		sum += n
	}
	switch {
	case sum == 0:
		return 0, fault.New(fault.ChainUnavailable, op, "no endpoint answered")
	case 2*said[most] <= sum:
		return 0, fault.New(fault.ChainDisputed, op, fmt.Sprintf("the endpoints name %d different chains; remove the wrong ones from -ethUrl", len(said)))
	}
	return most, nil
}

// singles are the endpoints host by host, so that none decides what is expected of the
// others, and none counts twice.
func singles(opt Options) ([]*endpoint.Pool, error) {
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
		once, cancel := context.WithTimeout(ctx, askMost)
		_, _ = p.Head(once)
		cancel()
		if id := p.ChainID(); id != 0 {
			return id
		}
		pause.Reset(askPause)
	}
}
