package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/migrate"
	"github.com/tuttinode/tutti/pm"
)

// oldNode is an existing node of the network whose keys and tickets are taken over.
type oldNode struct {
	dir string
	// chain is what its database has to be of, 0 for any.
	chain uint64
	// wanted: it is taken over from for the first time, or somebody asked for it;
	// otherwise only when something came from there before.
	wanted bool
}

// Words of -moveFrom that are no path.
const (
	moveAuto = "auto"
	moveNone = "none"
)

// oldNodeOf finds what the configuration says of an existing node; nil for none.
func oldNodeOf(cfg *config.Config, chain uint64) (*oldNode, error) {
	dir, asked := cfg.Storage.MoveFrom, true
	switch dir {
	case moveNone:
		return nil, nil
	case moveAuto:
		asked = false
		if dir = cfg.Storage.OldDataDir; dir == "" {
			home, _ := os.UserHomeDir() // without one there is nothing to find
			dir = migrate.Usual(home, cfg.Chain.Network)
		}
		// Its keys alone are worth taking; ours lie in the same way in our own directory.
		if dir == "" || !migrate.IsSource(dir) && (sameDir(dir, cfg.Storage.DataDir) || !migrate.HasKeys(dir)) {
			return nil, nil
		}
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fault.Wrap(fault.OldDataMissing, "look for the existing node", err)
	}
	if asked && !migrate.IsSource(dir) && !migrate.HasKeys(dir) {
		return nil, fault.New(fault.OldDataMissing, "look for the existing node", dir)
	}
	return &oldNode{dir: dir, chain: chain, wanted: asked}, nil
}

// sameDir reports whether two paths are one directory.
func sameDir(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// read looks at what the existing node left.
func (o *oldNode) read(ctx context.Context) (*migrate.Left, error) {
	left, err := migrate.Reader{Driver: sqlite().Name}.Read(ctx, o.dir)
	if err != nil {
		return nil, err
	}
	if o.chain != 0 && left.ChainID != 0 && left.ChainID != o.chain {
		return nil, fault.New(fault.OldDataWrongChain, "take over from "+o.dir, fmt.Sprintf("its database is of chain %d, the network is chain %d", left.ChainID, o.chain))
	}
	return left, nil
}

// moveKeys copies an existing node's keys when this one has none, or somebody asked
// for it. Where nobody asked, what is wrong there is told, and no reason to stop.
func (n *node) moveKeys(ctx context.Context, chain uint64) error {
	old, err := oldNodeOf(n.cfg, chain)
	if err != nil || old == nil {
		return err
	}
	n.old = old
	have, err := migrate.KeysIn(n.cfg.Storage.DataDir)
	if err != nil {
		return fault.Wrap(fault.KeystoreUnusable, "read the keystore", err)
	}
	asked := old.wanted
	// A start that ended before the tickets had come left keys behind: whose keys are the
	// existing node's has its tickets as well.
	old.wanted = asked || len(have) == 0 || old.shares(have)
	if !old.wanted {
		return nil
	}
	left, err := old.read(ctx)
	if err != nil {
		if asked {
			return err
		}
		n.log.Warn("nothing is taken over from the existing node", fault.Attr(err))
		n.old = nil
		return nil
	}
	var copied []migrate.Key
	if n.cfg.Chain.Keystore == "" {
		if copied, err = migrate.CopyKeys(left.Keys, n.cfg.Storage.DataDir); err != nil {
			return err
		}
	}
	for _, k := range copied {
		n.log.Info("took over a key of the existing node, which keeps its own", "account", k.Address.String(), "file", k.Path)
	}
	n.noteWeights()
	return nil
}

// shares reports whether one of our keys is the existing node's.
func (o *oldNode) shares(have []migrate.Key) bool {
	theirs, err := migrate.KeysIn(o.dir)
	return err == nil && slices.ContainsFunc(theirs, func(k migrate.Key) bool {
		return slices.ContainsFunc(have, func(h migrate.Key) bool { return h.Address == k.Address })
	})
}

// noteWeights says where the existing node's models lie: nobody wants to load them
// again.
func (n *node) noteWeights() {
	theirs := filepath.Join(n.old.dir, migrate.ModelsName)
	if entries, err := os.ReadDir(theirs); err == nil && len(entries) > 0 && n.cfg.Roles.AIWorker && n.cfg.AI.ModelsDir == "" {
		n.log.Warn("the existing node's models are not used", "directory", theirs, "remedy", "write -aiModelsDir "+theirs+", or move them to "+modelsDir(n.cfg))
	}
}

// addMoving adds what brings an existing node's winning tickets to this one.
func (n *node) addMoving(ctx context.Context) error {
	if n.earning == nil {
		return nil
	}
	record, err := migrate.OpenRecord(ctx, n.chain.db)
	if err != nil {
		return fault.Wrap(fault.ChainCacheFailed, "open the node's database", err)
	}
	opt := migrate.Options{
		Record: record, Books: n.earning.ledger, Won: n.earning.won(), Chain: n.chain.Chain, Recipient: n.chain.orchestrator,
		Board: n.board, Log: n.log, Now: time.Now,
	}
	if old := n.old; old != nil {
		known, err := record.Knows(ctx, old.dir)
		if err != nil {
			return fault.Wrap(fault.ChainCacheFailed, "read the node's database", err)
		}
		if old.wanted || known {
			opt.Dir = old.dir
			opt.Fetch = func(ctx context.Context) error { return n.stage(ctx, record) }
			opt.Busy = func(ctx context.Context) string { return old.busy(ctx, n.cfg.Addresses.AdminListen.Addr()) }
		}
	}
	n.add(migrate.NewSettler(opt))
	return nil
}

// won is who redeems a winner that is in the books.
func (e *earning) won() func(pm.Winner) {
	if e.redeemer != nil {
		return e.redeemer.Won
	}
	return e.handing.Won
}

// stage keeps what the existing node left that is not known here.
func (n *node) stage(ctx context.Context, record *migrate.Record) error {
	left, err := n.old.read(ctx)
	if err != nil {
		return err
	}
	for _, why := range left.Damaged {
		n.log.Warn("a ticket of the existing node cannot be used", "directory", left.Dir, "reason", why)
	}
	fresh, err := n.old.keep(ctx, record, left)
	if err != nil {
		return fault.Wrap(fault.ChainCacheFailed, "keep the existing node's tickets", err)
	}
	if elsewhere := others(left.Tickets, n.chain.orchestrator); elsewhere > 0 {
		n.log.Warn("tickets of the existing node pay another orchestrator and wait for a node that works for it", "tickets", elsewhere, "orchestrator", n.chain.orchestrator.String())
	}
	n.log.Info("looked at what the existing node left", "directory", left.Dir, "unredeemed", len(left.Tickets), "new", fresh, "redeemed_before", left.Redeemed)
	return nil
}

// keep stages tickets, and remembers where they are from.
func (o *oldNode) keep(ctx context.Context, record *migrate.Record, left *migrate.Left) (int, error) {
	if err := record.Came(ctx, o.dir, left.ChainID, time.Now()); err != nil {
		return 0, err
	}
	return record.Stage(ctx, o.dir, left.Tickets, time.Now())
}

// others is how many tickets pay somebody else.
func others(tickets []migrate.Ticket, recipient core.Address) int {
	mine := slices.DeleteFunc(slices.Clone(tickets), func(t migrate.Ticket) bool { return t.Ticket.Recipient != recipient })
	return len(tickets) - len(mine)
}
