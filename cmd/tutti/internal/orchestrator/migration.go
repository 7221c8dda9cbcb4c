package orchestrator

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/chain"
	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
	"github.com/tuttinode/tutti/cmd/tutti/internal/modelconfig"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/migrate"
)

// Migration is what the node takes over from an existing one.
type Migration struct {
	*nodeenv.Env
	// existing is nil where there is none to take over from.
	existing *command.ExistingNode
}

// NewMigration looks at nothing yet: the keys are copied when the chain is known.
func NewMigration(env *nodeenv.Env) *Migration { return &Migration{Env: env} }

// CopyKeys copies an existing node's keys when this one has none, or the operator asked
// for it. Unasked, a problem there is logged and is no reason to stop.
func (p *Migration) CopyKeys(ctx context.Context, chain uint64) error {
	old, err := command.FindExisting(p.Config, chain)
	if err != nil || old == nil {
		return err
	}
	p.existing = old
	have, err := migrate.KeysIn(p.Config.Storage.DataDir)
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
		p.Log.Warn("nothing is taken over from the existing node", fault.Attr(err))
		p.existing = nil
		return nil
	}
	var copied []migrate.Key
	if p.Config.Chain.Keystore == "" {
		if copied, err = migrate.CopyKeys(left.Keys, p.Config.Storage.DataDir); err != nil {
			return err
		}
	}
	for _, k := range copied {
		p.Log.Info("took over a key of the existing node, which keeps its own", "account", k.Address.String(), "file", k.Path)
	}
	p.reportWeights()
	return nil
}

// reportWeights logs where the existing node's models are, which need not be loaded again.
func (p *Migration) reportWeights() {
	theirs := filepath.Join(p.existing.Dir, migrate.ModelsName)
	if entries, err := os.ReadDir(theirs); err == nil && len(entries) > 0 && p.Config.Roles.AIWorker &&
		p.Config.AI.ModelsDir == "" {
		p.Log.Warn("the existing node's models are not used", "directory", theirs, "remedy",
			"write -aiModelsDir "+theirs+", or move them to "+modelconfig.Dir(p.Config))
	}
}

// Settle adds the component that imports an existing node's winning tickets.
func (p *Migration) Settle(ctx context.Context, network *chain.Part, paid *Earning) error {
	record, err := migrate.OpenRecord(ctx, network.DB)
	if err != nil {
		return fault.Wrap(fault.ChainCacheFailed, "open the node's database", err)
	}
	opt := migrate.Options{
		Record: record, Books: paid.Ledger, Won: paid.Won(), Chain: network.Chain, Recipient: network.Orchestrator,
		Board: p.Board, Log: p.Log, Now: time.Now,
	}
	if old := p.existing; old != nil {
		known, err := record.Knows(ctx, old.Dir)
		if err != nil {
			return fault.Wrap(fault.ChainCacheFailed, "read the node's database", err)
		}
		if old.Wanted || known {
			opt.Dir = old.Dir
			opt.Fetch = func(ctx context.Context) error { return p.stage(ctx, record, network.Orchestrator) }
			opt.Busy = func(ctx context.Context) string { return old.Busy(ctx, p.Config.Addresses.AdminListen.Addr()) }
		}
	}
	p.Add(migrate.NewSettler(opt))
	return nil
}

// stage keeps what the existing node left that is not known here.
func (p *Migration) stage(ctx context.Context, record *migrate.Record, orchestrator core.Address) error {
	left, err := p.existing.Read(ctx)
	if err != nil {
		return err
	}
	for _, why := range left.Damaged {
		p.Log.Warn("a ticket of the existing node cannot be used", "directory", left.Dir, "reason", why)
	}
	fresh, err := p.existing.Keep(ctx, record, left)
	if err != nil {
		return fault.Wrap(fault.ChainCacheFailed, "keep the existing node's tickets", err)
	}
	if elsewhere := command.OtherNodes(left.Tickets, orchestrator); elsewhere > 0 {
		p.Log.Warn("tickets of the existing node pay another orchestrator and wait for a node that works for it", "tickets",
			elsewhere, "orchestrator", orchestrator.String())
	}
	p.Log.Info("looked at what the existing node left", "directory", left.Dir, "unredeemed", len(left.Tickets), "new",
		fresh, "redeemed_before", left.Redeemed)
	return nil
}
