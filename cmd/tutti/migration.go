package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/migratecmd"
	"github.com/tuttinode/tutti/cmd/tutti/internal/modelconfig"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/migrate"
)

// copyKeys copies an existing node's keys when this one has none, or somebody asked
// for it. Where nobody asked, what is wrong there is told, and no reason to stop.
func (n *node) copyKeys(ctx context.Context, chain uint64) error {
	old, err := migratecmd.Find(n.Config, chain)
	if err != nil || old == nil {
		return err
	}
	n.existingNode = old
	have, err := migrate.KeysIn(n.Config.Storage.DataDir)
	if err != nil {
		return fault.Wrap(fault.KeystoreUnusable, "read the keystore", err)
	}
	asked := old.Wanted
	// A start that ended before the tickets had come left keys behind: whose keys are the
	// existing node's has its tickets as well.
	old.Wanted = asked || len(have) == 0 || old.Shares(have)
	if !old.Wanted {
		return nil
	}
	left, err := old.Read(ctx)
	if err != nil {
		if asked {
			return err
		}
		n.Log.Warn("nothing is taken over from the existing node", fault.Attr(err))
		n.existingNode = nil
		return nil
	}
	var copied []migrate.Key
	if n.Config.Chain.Keystore == "" {
		if copied, err = migrate.CopyKeys(left.Keys, n.Config.Storage.DataDir); err != nil {
			return err
		}
	}
	for _, k := range copied {
		n.Log.Info("took over a key of the existing node, which keeps its own", "account", k.Address.String(), "file", k.Path)
	}
	n.reportWeights()
	return nil
}

// reportWeights logs where the existing node's models lie: nobody wants to load them
// again.
func (n *node) reportWeights() {
	theirs := filepath.Join(n.existingNode.Dir, migrate.ModelsName)
	if entries, err := os.ReadDir(theirs); err == nil && len(entries) > 0 && n.Config.Roles.AIWorker && n.Config.AI.ModelsDir == "" {
		n.Log.Warn("the existing node's models are not used", "directory", theirs, "remedy", "write -aiModelsDir "+theirs+", or move them to "+modelconfig.Dir(n.Config))
	}
}

// addMigration adds what brings an existing node's winning tickets to this one.
func (n *node) addMigration(ctx context.Context) error {
	if n.earning == nil {
		return nil
	}
	record, err := migrate.OpenRecord(ctx, n.chain.DB)
	if err != nil {
		return fault.Wrap(fault.ChainCacheFailed, "open the node's database", err)
	}
	opt := migrate.Options{
		Record: record, Books: n.earning.Ledger, Won: n.earning.Won(), Chain: n.chain.Chain, Recipient: n.chain.Orchestrator,
		Board: n.Board, Log: n.Log, Now: time.Now,
	}
	if old := n.existingNode; old != nil {
		known, err := record.Knows(ctx, old.Dir)
		if err != nil {
			return fault.Wrap(fault.ChainCacheFailed, "read the node's database", err)
		}
		if old.Wanted || known {
			opt.Dir = old.Dir
			opt.Fetch = func(ctx context.Context) error { return n.stage(ctx, record) }
			opt.Busy = func(ctx context.Context) string { return old.Busy(ctx, n.Config.Addresses.AdminListen.Addr()) }
		}
	}
	n.Add(migrate.NewSettler(opt))
	return nil
}

// stage keeps what the existing node left that is not known here.
func (n *node) stage(ctx context.Context, record *migrate.Record) error {
	left, err := n.existingNode.Read(ctx)
	if err != nil {
		return err
	}
	for _, why := range left.Damaged {
		n.Log.Warn("a ticket of the existing node cannot be used", "directory", left.Dir, "reason", why)
	}
	fresh, err := n.existingNode.Keep(ctx, record, left)
	if err != nil {
		return fault.Wrap(fault.ChainCacheFailed, "keep the existing node's tickets", err)
	}
	if elsewhere := migratecmd.Others(left.Tickets, n.chain.Orchestrator); elsewhere > 0 {
		n.Log.Warn("tickets of the existing node pay another orchestrator and wait for a node that works for it", "tickets", elsewhere, "orchestrator", n.chain.Orchestrator.String())
	}
	n.Log.Info("looked at what the existing node left", "directory", left.Dir, "unredeemed", len(left.Tickets), "new", fresh, "redeemed_before", left.Redeemed)
	return nil
}
