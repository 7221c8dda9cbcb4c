package chain

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

// memoryVersion changes when what is written changes its meaning.
const memoryVersion = 1

// memory is what outlives the process.
type memory struct {
	Version       int
	Account, Self core.Address
	Contracts     contracts.Addresses
	State         state
	// Pool is the members' order.
	Pool []core.Address
	// Told is the block up to which events were told, in Round.
	Told  protocol.L2Block
	Round protocol.Round
}

// Bounds of what is believed: far beyond what is written.
const (
	maxMemory  = 4 << 20
	maxMembers = 2000
)

func (m memory) encode() []byte {
	data, err := json.Marshal(m)
	if err != nil {
		// All parts are plain values; a nil memory keeps the one before.
		return nil
	}
	return data
}

// decodeMemory reads what encode wrote. The error says why it is not to be used.
func decodeMemory(data []byte) (memory, error) {
	var m memory
	if len(data) == 0 || len(data) > maxMemory {
		return memory{}, fmt.Errorf("%d bytes", len(data))
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return memory{}, err
	}
	switch {
	case m.Version != memoryVersion:
		return memory{}, fmt.Errorf("version %d", m.Version)
	case m.State.Head.Hash.IsZero() || m.Contracts.Controller.IsZero() || m.State.Round.Length == 0:
		return memory{}, errors.New("it is not complete")
	case len(m.Pool) > maxMembers || len(m.State.Locks) > maxLocks || m.State.PoolSize < 0:
		return memory{}, errors.New("its sizes cannot be")
	}
	return m, nil
}

// memory is what is known now.
func (f *follower) memory() memory {
	m := memory{
		Version: memoryVersion, Account: f.read.account, Self: f.read.self, State: f.cur, Pool: f.c.pool.known(),
	}
	if n := f.c.net.Load(); n != nil {
		m.Contracts = n.at
	}
	m.Told, m.Round = f.history.mark(f.told, f.cur.Round.LastInitialized)
	return m
}

// restore takes a memory into use. What is about another account is left out.
func (f *follower) restore(m memory) {
	if m.Account != f.read.account {
		m.State.Balances, m.State.Locks, m.State.NextLock = protocol.Balances{}, nil, 0
	}
	if m.Self != f.read.self {
		m.State.Self = protocol.Orchestrator{Address: f.read.self}
	} else if !m.Self.IsZero() {
		f.history.recall(m.Told, m.Round)
	}
	f.cur = m.State
	f.c.pool.remember(m.Pool)
	n := newNetwork(m.Contracts)
	n.cached = true
	f.c.net.CompareAndSwap(nil, n)
	f.stale = true
	f.publish()
}
