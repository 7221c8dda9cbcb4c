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
	historyMost  protocol.L2Block = 2_400_000
	// Where one request spans few blocks, a piece is no more than pieceRequests.
	pieceRequests protocol.L2Block = 20
)

// history tells of the rewards that came while the node did not run. State needs
// no history: this is for the record alone, and never held up for.
type history struct {
	events chan []protocol.Event
	gaps   chan past

	mu sync.Mutex
	// told is up to where everything was told; guarded by mu. done: up to where
	// logs are followed now.
	told past
	done bool
}

// past is what is known of the past: the round that was initialised last before
// block from, and the block to tell up to.
type past struct {
	from, to protocol.L2Block
	round    protocol.Round
}

func newHistory() history {
	return history{events: make(chan []protocol.Event), gaps: make(chan past, 1), done: true}
}

// recall takes from the cache up to where the last run told.
func (h *history) recall(upTo protocol.L2Block, round protocol.Round) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.told, h.done = past{from: upTo + 1, round: round}, upTo == 0
}

// begin says at which block following began; what is between is to be told.
func (h *history) begin(block protocol.L2Block) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.done || h.told.from > block {
		h.done = true
		return
	}
	h.told.to = block
	if block > historyMost {
		h.told.from = max(h.told.from, block-historyMost)
	}
	h.gaps <- h.told
}

// mark is up to where everything was told, given up to where logs are followed.
func (h *history) mark(followed protocol.L2Block, round protocol.Round) (protocol.L2Block, protocol.Round) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.done {
		return followed, round
	}
	return h.told.from - 1, h.told.round
}

func (h *history) advance(p past) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.told, h.done = p, p.from > p.to
}

// tellHistory reads the gap when there is one, piece by piece and patiently.
func (f *follower) tellHistory(ctx context.Context) {
	var p past
	select {
	case <-ctx.Done():
		return
	case p = <-f.history.gaps:
	}
	for p.from <= p.to {
		next, err := f.tellPiece(ctx, p)
		f.history.advance(next)
		p = next
		if p.from > p.to {
			return
		}
		// Not all of an endpoint's allowance is for the past.
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

var (
	rewardTopic   = crypto.Keccak256Hash([]byte("Reward(address,uint256)"))
	newRoundTopic = crypto.Keccak256Hash([]byte("NewRound(uint256,bytes32)"))
)

// tellPiece tells one piece's rewards and returns what is left.
func (f *follower) tellPiece(ctx context.Context, p past) (past, error) {
	n, err := f.c.contracts(ctx)
	if err != nil {
		return p, err
	}
	to := min(p.to, p.from+min(historyPiece, pieceRequests*logSpan(f.c.opt.Client))-1)
	logs, next, err := f.c.opt.Client.Logs(ctx, p.from, to, endpoint.LogFilter{
		Addresses: []common.Address{common.Address(n.at.BondingManager), common.Address(n.at.RoundsManager)},
		Topics:    [][]common.Hash{{rewardTopic, newRoundTopic}},
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
