package coretest

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// Mine makes l2 blocks of layer 2, in which layer 1 moves on by l1 altogether.
// What was held is mined in the first of them, what was mined before becomes
// final.
func (c *Chain) Mine(l2 protocol.L2Block, l1 protocol.L1Block) {
	_ = c.change(func() error {
		c.growLocked(l2, l1)
		c.settleLocked()
		return nil
	})
}

// AdvanceL1 makes a block in which layer 1 moved on, and mines nothing in it.
func (c *Chain) AdvanceL1(l1 protocol.L1Block) {
	_ = c.change(func() error {
		c.growLocked(1, l1)
		return nil
	})
}

// ToRound mines until a round begins. The round stays uninitialized.
func (c *Chain) ToRound(r protocol.Round) {
	now := c.roundNow()
	if r > now.Number {
		blocks := now.End() - c.View().Head.L1 + protocol.L1Block(r-now.Number-1)*now.Length
		c.Mine(protocol.L2Block(blocks)*48, blocks)
	}
}

// Open initializes the present round, as another account would.
func (c *Chain) Open() {
	_ = c.change(func() error {
		if c.round.LastInitialized != c.round.Number {
			c.growLocked(1, 0)
			c.initializeLocked()
		}
		return nil
	})
}

// Reorganize undoes the last blocks, which come back with other hashes.
func (c *Chain) Reorganize(depth protocol.L2Block) {
	_ = c.change(func() error {
		c.fork++
		from := c.head.Number - depth + 1
		c.head.Hash, c.head.Parent = c.blockHash(c.head.Number), c.blockHash(c.head.Number-1)
		for _, t := range slices.Backward(c.txs) {
			if t.tx.State == protocol.TxMined && t.tx.Block >= from {
				c.undoLocked(t)
			}
		}
		c.emitLocked(protocol.Reorganized{From: from})
		c.emitLocked(protocol.HeadSeen{Head: c.head})
		return nil
	})
}

// undo puts a transaction back on its way. The caller holds mu.
func (c *Chain) undoLocked(t *chainTx) {
	t.tx.State, t.tx.Block = protocol.TxSubmitted, 0
	if t.undo == nil {
		t.undone = true
		return
	}
	c.accountLocked(c.account).ether = c.accountLocked(c.account).ether.Add(t.tx.Fee)
	t.undo()
	t.undo = nil
}

// Drop gives up the transactions that are on their way, as a node does that cannot
// get them mined.
func (c *Chain) Drop() {
	_ = c.change(func() error {
		for _, t := range c.txs {
			if t.tx.State == protocol.TxSubmitted {
				t.err = fault.New(fault.TxGivenUp, t.tx.Verb, "")
				t.tx.State, t.tx.Reason = protocol.TxDropped, string(fault.TxGivenUp)
			}
		}
		return nil
	})
}

// SetBaseFee sets the price of gas.
func (c *Chain) SetBaseFee(fee core.Wei) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.head.BaseFee = fee
}

// SetStale marks the chain as stale, or as live again.
func (c *Chain) SetStale(stale bool) {
	_ = c.change(func() error {
		if c.stale != stale {
			c.stale = stale
			c.emitLocked(protocol.StaleSeen{Stale: stale, Since: c.head.Time})
		}
		return nil
	})
}

// Forget makes the view unknown and every read fail, as before the first endpoint
// answers; Learn ends that.
func (c *Chain) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unknown = true
	c.failRead = fault.New(fault.ChainNotReady, "read the chain", "no endpoint has answered yet")
}

// Learn ends Forget and FailReads.
func (c *Chain) Learn() {
	_ = c.change(func() error {
		c.unknown, c.failRead = false, nil
		c.emitLocked(protocol.HeadSeen{Head: c.head})
		c.emitLocked(protocol.RoundSeen{Round: c.roundStateLocked()})
		return nil
	})
}

// grow adds blocks and rolls the round over. The caller holds mu.
func (c *Chain) growLocked(l2 protocol.L2Block, l1 protocol.L1Block) {
	if l2 == 0 {
		return
	}
	was := c.roundStateLocked()
	c.head.Number += l2
	c.head.L1 += l1
	c.head.Time = c.head.Time.Add(time.Duration(l2)*250*time.Millisecond + time.Duration(l1)*12*time.Second)
	c.head.Hash, c.head.Parent = c.blockHash(c.head.Number), c.blockHash(c.head.Number-1)
	for c.head.L1 >= c.round.End() {
		c.round.Number++
		c.round.Start += c.round.Length
	}
	c.emitLocked(protocol.HeadSeen{Head: c.head})
	if now := c.roundStateLocked(); now != was {
		c.emitLocked(protocol.RoundSeen{Round: now})
		if now.Number != was.Number {
			c.forgetClaimsLocked()
			c.tellSelf()
		}
	}
}

// initialize opens the present round. The caller holds mu.
func (c *Chain) initializeLocked() {
	n := c.round.Number
	c.round.LastInitialized = n
	c.hashes[n] = sha256.Sum256(binary.BigEndian.AppendUint64([]byte("round"), uint64(n)))
	total := c.totalStake()
	c.params.TotalBonded = total
	c.params.MintedTokens = c.params.MintedTokens.Sub(c.params.MintedTokens)
	for _, address := range c.pool {
		m := c.members[address]
		m.LastActiveStakeUpdateRound = n
		c.earnings[earningsKey{address, n}] = earningsOf(m)
	}
	c.emitLocked(protocol.RoundSeen{Round: c.roundStateLocked()})
}

// roundState is the round of the head. The caller holds mu.
func (c *Chain) roundStateLocked() protocol.RoundState {
	r := c.round
	r.Initialized = r.LastInitialized == r.Number
	r.Locked = c.head.L1 >= r.LocksAt()
	r.LastHash, r.PreviousHash = c.hashes[r.LastInitialized], c.hashes[r.LastInitialized-1]
	return r
}

func (c *Chain) roundNow() protocol.RoundState {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.roundStateLocked()
}

func (c *Chain) blockHash(n protocol.L2Block) protocol.Hash {
	return sha256.Sum256(append(binary.BigEndian.AppendUint64([]byte("block"), uint64(n)), c.fork))
}
