package chain

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/eth/contracts"
)

// tables are this package's in the node's database. Their content may be lost, except for the chain's number,
// which keeps a data directory from being used with two chains. Read-only.
var tables = database.Tables{Owner: "chain", Content: "cached state of the chain", Steps: []string{
	`CREATE TABLE chain_memory (
		one        INTEGER PRIMARY KEY CHECK (one = 1),
		chain_id   TEXT NOT NULL,
		controller TEXT NOT NULL,
		memory     BLOB
	) STRICT`,
	`CREATE TABLE chain_contracts (
		one       INTEGER PRIMARY KEY CHECK (one = 1),
		addresses TEXT NOT NULL
	) STRICT`,
}}

// store is the database; without one it does nothing.
type store struct{ db *sql.DB }

// owner is what a data directory belongs to.
type owner struct {
	chainID    uint64
	controller string
}

// load reads the directory's owner and the snapshot; a zero owner when there is none.
func (s store) load(ctx context.Context) (owner, []byte, error) {
	if s.db == nil {
		return owner{}, nil, nil
	}
	if err := tables.Migrate(ctx, s.db); err != nil {
		return owner{}, nil, err
	}
	var id, controller string
	var data []byte
	err := s.db.QueryRowContext(ctx, `SELECT chain_id, controller, memory FROM chain_memory WHERE one = 1`).Scan(&id,
		&controller, &data)
	if errors.Is(err, sql.ErrNoRows) {
		return owner{}, nil, nil
	}
	if err != nil {
		return owner{}, nil, err
	}
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		return owner{}, nil, fmt.Errorf("the chain's number %q: %w", id, err)
	}
	return owner{n, controller}, data, nil
}

// save writes the snapshot; without data only the owner.
func (s store) save(ctx context.Context, o owner, data []byte) error {
	if s.db == nil {
		return nil
	}
	_, err := s.db.ExecContext(ctx, `INSERT INTO chain_memory (one, chain_id, controller, memory) VALUES (1, ?, ?, ?)
		ON CONFLICT (one) DO UPDATE SET memory = coalesce(excluded.memory, memory)`,
		strconv.FormatUint(o.chainID, 10), o.controller, data)
	return err
}

// loadContracts reads the trusted addresses; false when there are none.
func (s store) loadContracts(ctx context.Context) (at contracts.Addresses, found bool, err error) {
	if s.db == nil {
		return at, false, nil
	}
	var text string
	err = s.db.QueryRowContext(ctx, `SELECT addresses FROM chain_contracts WHERE one = 1`).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return at, false, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(text), &at)
	}
	return at, err == nil, err
}

// saveContracts writes the trusted addresses.
func (s store) saveContracts(ctx context.Context, at contracts.Addresses) error {
	if s.db == nil {
		return nil
	}
	text, err := json.Marshal(at)
	if err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, `INSERT INTO chain_contracts (one, addresses) VALUES (1, ?)
		ON CONFLICT (one) DO UPDATE SET addresses = excluded.addresses`, string(text))
	return err
}

// savePause is the least time between two writes: a crash only costs another read.
const savePause = 30 * time.Second

// save writes the snapshot to the cache, at most every savePause unless now is set.
func (f *follower) save(ctx context.Context, now bool) {
	id := f.c.chainID.Load()
	if f.c.store.db == nil || id == 0 || !f.known || !now && f.c.opt.Now().Sub(f.clock.saved) < savePause {
		return
	}
	f.clock.saved = f.c.opt.Now()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	f.reportCache(f.c.store.save(ctx, f.owner(id), f.snapshot().encode()))
}

func (f *follower) owner(id uint64) owner { return owner{id, f.c.opt.Controller.String()} }

func (f *follower) reportCache(err error) {
	if err != nil {
		err = fault.Wrap(fault.ChainCacheFailed, "remember the chain", err)
	}
	f.c.opt.Board.Report(health.Key{Code: fault.ChainCacheFailed}, err)
}

// loadCache restores the last run's view, stale until a block is read.
func (f *follower) loadCache(ctx context.Context) error {
	was, data, err := f.c.store.load(ctx)
	f.reportCache(err)
	if err != nil {
		f.c.store.db = nil
		return nil
	}
	if was == (owner{}) {
		return nil
	}
	f.c.chainID.Store(was.chainID)
	if err := f.compare(was, f.c.opt.Network.ChainID); err != nil {
		return err
	}
	m, err := decodeSnapshot(data)
	if err := f.c.loadTrusted(ctx, m.Contracts); err != nil {
		return err
	}
	if err != nil {
		// Another version, or damaged: the chain is read instead.
		f.c.opt.Log.Debug("cached state of the chain not used", "err", err)
		return nil
	}
	f.restore(m)
	return nil
}

// compare refuses a directory of another chain. An id of 0 is unknown.
func (f *follower) compare(was owner, id uint64) error {
	detail := ""
	switch now := f.owner(id); {
	case id != 0 && was.chainID != id:
		detail = fmt.Sprintf("it was used with chain %d, and this is chain %d", was.chainID, id)
	case was.controller != now.controller:
		detail = fmt.Sprintf("it was used with the Controller %s, and this is %s", was.controller, now.controller)
	default:
		return nil
	}
	return fault.New(fault.ChainIDChanged, "use the data directory", detail)
}

// checkChain compares the chain's number once an endpoint answered it, and stores it as the directory's
// owner.
func (f *follower) checkChain(ctx context.Context) error {
	if f.verified {
		return nil
	}
	id := f.c.opt.Client.ChainID()
	if id == 0 {
		return nil
	}
	if was := f.c.chainID.Load(); was != 0 {
		if err := f.compare(f.owner(was), id); err != nil {
			return err
		}
	}
	f.verified = true
	f.c.chainID.Store(id)
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	f.reportCache(f.c.store.save(ctx, f.owner(id), nil))
	return nil
}
