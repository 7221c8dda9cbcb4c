package chain

import (
	"context"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
	"github.com/tuttinode/tutti/eth/endpoint"
)

// History is read in pieces, and no further back than about a week of Arbitrum.
const (
	historyPiece protocol.L2Block = 50_000
	maxHistory   protocol.L2Block = 2_400_000
	// Where one request spans few blocks, a piece is no more than pieceRequests.
	pieceRequests protocol.L2Block = 20
)

// history publishes the rewards that came while the node did not run. State needs no history: this is for the
// record alone, and nothing waits for it.
type history struct {
	events chan []protocol.Event
	gaps   chan historyGap

	mu sync.Mutex
	// gap is what is still to be published; guarded by mu. done: there is no gap up to where logs are followed.
	gap  historyGap
	done bool
}

// historyGap is the blocks still to be published: from is the first, to the last, and round the last one
// initialized before from.
type historyGap struct {
	from, to protocol.L2Block
	round    protocol.Round
}

func newHistory() history {
	return history{events: make(chan []protocol.Event), gaps: make(chan historyGap, 1), done: true}
}

// restore sets the gap's start from the cache: the block up to which the last run published.
func (h *history) restore(upTo protocol.L2Block, round protocol.Round) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gap, h.done = historyGap{from: upTo + 1, round: round}, upTo == 0
}

// startAt sets the gap's end: the block at which following began.
func (h *history) startAt(block protocol.L2Block) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.done || h.gap.from > block {
		h.done = true
		return
	}
	h.gap.to = block
	if block > maxHistory {
		h.gap.from = max(h.gap.from, block-maxHistory)
	}
	h.gaps <- h.gap
}

// progress returns the block up to which everything was published, given the block up to which logs are followed.
func (h *history) progress(followed protocol.L2Block, round protocol.Round) (protocol.L2Block, protocol.Round) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.done {
		return followed, round
	}
	return h.gap.from - 1, h.gap.round
}

func (h *history) advance(p historyGap) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gap, h.done = p, p.from > p.to
}

// publishHistory reads the gap when there is one, piece by piece and with pauses.
func (f *follower) publishHistory(ctx context.Context) {
	var p historyGap
	select {
	case <-ctx.Done():
		return
	case p = <-f.history.gaps:
	}
	for p.from <= p.to {
		next, err := f.publishPiece(ctx, p)
		f.history.advance(next)
		p = next
		if p.from > p.to {
			return
		}
		// Most of an endpoint's allowance is for the present.
		pause := min(f.c.opt.PollInterval, time.Second)
		if err != nil {
			pause = max(f.c.opt.PollInterval, time.Second)
		}
		wait := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			wait.Stop()
			return
		case <-wait.C:
		}
	}
}

func newRoundTopic() common.Hash { return crypto.Keccak256Hash([]byte("NewRound(uint256,bytes32)")) }

func rewardTopic() common.Hash { return crypto.Keccak256Hash([]byte("Reward(address,uint256)")) }

// publishPiece publishes one piece's rewards and returns the rest of the gap.
func (f *follower) publishPiece(ctx context.Context, p historyGap) (historyGap, error) {
	n, err := f.c.contracts(ctx)
	if err != nil {
		return p, err
	}
	to := min(p.to, p.from+min(historyPiece, pieceRequests*logSpan(f.c.opt.Client))-1)
	logs, next, err := f.c.opt.Client.Logs(ctx, p.from, to, endpoint.LogFilter{
		Addresses: []common.Address{common.Address(n.at.BondingManager), common.Address(n.at.RoundsManager)},
		Topics:    [][]common.Hash{{rewardTopic(), newRoundTopic()}},
	})
	var events []protocol.Event
	for i := range logs {
		e, _ := n.decode.Decode(&logs[i])
		switch e := e.(type) {
		case contracts.NewRound:
			p.round = e.Round
		case contracts.Reward:
			if e.Orchestrator == f.read.self && f.read.self != (core.Address{}) {
				events = append(events, protocol.RewardSeen{Round: p.round, Amount: e.Amount, Tx: e.Tx})
			}
		}
	}
	if len(events) > 0 {
		select {
		case <-ctx.Done():
			return p, ctx.Err()
		case f.history.events <- events:
		}
	}
	p.from = max(p.from, next)
	return p, err
}
