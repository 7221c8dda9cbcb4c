package chain

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

func sampleMemory() snapshot {
	return snapshot{
		Version: snapshotVersion, Account: addressOf(1), Self: addressOf(2), PublishedTo: 77, Round: 9,
		Pool:      []core.Address{addressOf(3), addressOf(2)},
		Contracts: contracts.Addresses{Controller: addressOf(9), BondingManager: addressOf(8)},
		State: state{
			Head:  protocol.Head{Number: 80, Hash: protocol.Hash{1}, L1: 1000, Time: time.Unix(1_800_000_000, 0).UTC()},
			Round: protocol.RoundState{Number: 9, Length: 100, Start: 950}, PoolSize: 2,
			Self: protocol.Orchestrator{Address: addressOf(2), ServiceURI: "https://x:1", DelegatedStake: core.LPTTokens(5),
				DeactivationRound: protocol.Never},
			Balances: protocol.Balances{Ether: core.NewWei(1), Token: core.NewLPT(2)},
			Locks:    []protocol.UnbondingLock{{ID: 1, Delegator: addressOf(1), Amount: core.NewLPT(3), WithdrawRound: 12}},
			NextLock: 2,
		},
	}
}

func TestMemoryComesBack(t *testing.T) {
	t.Parallel()
	m := sampleMemory()
	got, err := decodeSnapshot(m.encode())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.encode(), m.encode()) || !sameOrchestrator(got.State.Self, m.State.Self) ||
		!reflect.DeepEqual(got.Pool, m.Pool) {
		t.Errorf("%+v, want %+v", got, m)
	}
}

func TestSnapshotIsChecked(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*snapshot){
		"version": func(m *snapshot) { m.Version++ },
		"head":    func(m *snapshot) { m.State.Head = protocol.Head{} },
		"length":  func(m *snapshot) { m.State.Round.Length = 0 },
		"where":   func(m *snapshot) { m.Contracts = contracts.Addresses{} },
		"members": func(m *snapshot) { m.Pool = make([]core.Address, maxMembers+1) },
		"size":    func(m *snapshot) { m.State.PoolSize = -1 },
	} {
		m := sampleMemory()
		spoil(&m)
		if _, err := decodeSnapshot(m.encode()); err == nil {
			t.Errorf("%s: it is believed", name)
		}
	}
	for _, text := range []string{"", "{", "null", `{"Version":1}`} {
		if _, err := decodeSnapshot([]byte(text)); err == nil {
			t.Errorf("%q is believed", text)
		}
	}
}

func FuzzMemory(f *testing.F) {
	f.Add(sampleMemory().encode())
	f.Add([]byte(`{"Version":1,"State":{"Round":{"Length":1}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := decodeSnapshot(data)
		if err != nil {
			return
		}
		// What is believed can be lived with: the clock goes on, and it is kept.
		m.State.atHead(protocol.Head{Number: 1 << 40, L1: 1 << 40}).view(true)
		lockIDs(m.State, m.State.NextLock+1, false)
		if _, err := decodeSnapshot(m.encode()); err != nil {
			t.Errorf("it does not come back: %v", err)
		}
	})
}
