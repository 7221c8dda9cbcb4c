package chain

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

// snapshotVersion changes when the meaning of the content changes.
const snapshotVersion = 1

// snapshot is the follower's state that survives a restart, as JSON.
type snapshot struct {
	Version       int
	Account, Self core.Address
	Contracts     contracts.Addresses
	State         state
	// Pool is the members' order.
	Pool []core.Address
	// PublishedTo is the block up to which events were published, in Round.
	PublishedTo protocol.L2Block `json:"Told"`
	Round       protocol.Round
	// Height is a layer-1 height with its time, from which later ones are bounded.
	Height l1Point
}

// Bounds on what is accepted, far beyond what is written.
const (
	maxSnapshot = 4 << 20
	maxMembers  = 2000
)

func (m snapshot) encode() []byte {
	data, err := json.Marshal(m)
	if err != nil {
		// All fields are plain values; a nil snapshot keeps the stored one.
		return nil
	}
	return data
}

// errSnapshot: the stored state cannot be used, and the chain is read from the start.
var errSnapshot = errors.New("invalid stored state")

// decodeSnapshot reads what encode wrote. The error is the reason not to use it.
func decodeSnapshot(data []byte) (snapshot, error) {
	var m snapshot
	if len(data) == 0 || len(data) > maxSnapshot {
		return snapshot{}, fmt.Errorf("%w: %d bytes", errSnapshot, len(data))
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return snapshot{}, fmt.Errorf("%w: %w", errSnapshot, err)
	}
	switch {
	case m.Version != snapshotVersion:
		return snapshot{}, fmt.Errorf("%w: version %d", errSnapshot, m.Version)
	case m.State.Head.Hash.IsZero() || m.Contracts.Controller.IsZero() || m.State.Round.Length == 0:
		return snapshot{}, fmt.Errorf("%w: it is not complete", errSnapshot)
	case len(m.Pool) > maxMembers || len(m.State.Locks) > maxLocks || m.State.PoolSize < 0:
		return snapshot{}, fmt.Errorf("%w: its lists are too long", errSnapshot)
	}
	return m, nil
}

// snapshot returns the present state.
func (f *follower) snapshot() snapshot {
	m := snapshot{
		Version: snapshotVersion, Account: f.read.account, Self: f.read.self, State: f.cur, Pool: f.c.pool.members(),
	}
	if n := f.c.net.Load(); n != nil {
		m.Contracts = n.at
	}
	m.Height = f.l1.bound.anchor
	m.PublishedTo, m.Round = f.history.progress(f.publishedTo, f.cur.Round.LastInitialized)
	return m
}

// restore takes a snapshot into use. State of another account is left out.
func (f *follower) restore(m snapshot) {
	if m.Account != f.read.account {
		m.State.Balances, m.State.Locks, m.State.NextLock = protocol.Balances{}, nil, 0
	}
	if m.Self != f.read.self {
		m.State.Self = protocol.Orchestrator{Address: f.read.self}
	} else if !m.Self.IsZero() {
		f.history.restore(m.PublishedTo, m.Round)
	}
	f.cur = m.State
	f.l1.bound.restore(m.Height, f.c.opt.Now())
	f.c.pool.setMembers(m.Pool)
	n := newNetwork(m.Contracts)
	n.cached = true
	f.c.net.CompareAndSwap(nil, n)
	f.stale = true
	f.publish()
}
