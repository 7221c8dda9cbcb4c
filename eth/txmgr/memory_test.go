package txmgr_test

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/txmgr"
)

// memory is a journal that outlives its Managers.
type memory struct {
	mu      sync.Mutex
	records map[uint64]txmgr.Record
	fails   error
	genesis protocol.Hash
	past    map[protocol.Hash]map[uint64]txmgr.Record
	// failLoads: the Load after the next change of chain fails, so often.
	failLoads int
	changed   bool
}

func (j *memory) SelectChain(_ context.Context, genesis protocol.Hash) (changed bool, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.fails != nil {
		return false, j.fails
	}
	if changed = !j.genesis.IsZero() && j.genesis != genesis; changed {
		j.past[j.genesis], j.records = j.records, j.past[genesis]
		if j.records == nil {
			j.records = make(map[uint64]txmgr.Record)
		}
	}
	j.genesis, j.changed = genesis, j.changed || changed
	return changed, nil
}

func (j *memory) Load(context.Context) ([]txmgr.Record, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.changed && j.failLoads > 0 {
		j.failLoads--
		return nil, fault.New(fault.TxJournalFailed, "load", "")
	}
	var out []txmgr.Record
	for _, id := range slices.Sorted(maps.Keys(j.records)) {
		out = append(out, copied(j.records[id]))
	}
	return out, j.fails
}

func (j *memory) Find(_ context.Context, once string) (found txmgr.Record, ok bool, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range j.records {
		if r.Once == once && (!ok || r.ID > found.ID) {
			found, ok = copied(r), true
		}
	}
	return found, ok, j.fails
}

func (j *memory) Put(_ context.Context, records ...txmgr.Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.fails != nil {
		return j.fails
	}
	for _, r := range records {
		j.records[r.ID] = copied(r)
	}
	return nil
}

func copied(r txmgr.Record) txmgr.Record {
	r.Attempts = slices.Clone(r.Attempts)
	if r.Mined != nil {
		place := *r.Mined
		r.Mined = &place
	}
	return r
}

func (j *memory) knows(hash common.Hash) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range j.records {
		for _, a := range r.Attempts {
			if common.Hash(a.Hash) == hash {
				return true
			}
		}
	}
	return false
}

func (j *memory) all() []txmgr.Record {
	records, _ := j.Load(context.Background())
	return records
}
