package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/cmd/tutti/nodedb"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/migrate"
	"github.com/tuttinode/tutti/eth/contracts"
)

const MigrateUsage = `usage: tutti migrate [--dry-run] [--json] [the node's flags]

Takes over what a node of the existing network left in its data directory: keys, and
winning tickets that were not redeemed. That directory is only read. The node does the
same at its start; this shows it, or does it beforehand.

  --dry-run   show what would be taken over, and change nothing
  --json      write JSON
  -moveFrom   the existing node's data directory; auto is ~/.lpData/<network>
  -network, -dataDir, -config, -ethKeystorePath   as given to the node
`

// movingOptions are those that move looks at; what else may be wrong with the
// configuration is the node's business.
func movingOptions() []string {
	return []string{"dataDir", "datadir", "network", "config", "moveFrom", "ethKeystorePath"}
}

// RunMigrate is `tutti migrate`.
func RunMigrate(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	m := MigrateTool{Stdout: stdout}
	var rest []string
	for _, a := range args {
		switch strings.TrimLeft(a, "-") {
		case "dry-run":
			m.dry = true
		case "json":
			m.json = true
		case "h", "help":
			fmt.Fprint(stdout, MigrateUsage)
			return ExitOK
		default:
			rest = append(rest, a)
		}
	}
	cfg, err := config.LoadDataDir(Input(rest), movingOptions()...)
	if err != nil {
		return Misused(stderr, "migrate", MigrateUsage, err.Error())
	}
	if err := m.Run(ctx, cfg); err != nil {
		fmt.Fprintln(stderr, Describe(err))
		return ExitFailed
	}
	return ExitOK
}

// MigrateTool is one use of `tutti migrate`.
type MigrateTool struct {
	Stdout    io.Writer
	dry, json bool
}

// Run takes over what the existing node of cfg left, or with -dry-run shows it.
func (m *MigrateTool) Run(ctx context.Context, cfg *config.Config) error {
	const op = "look for the existing node"
	if cfg.Chain.Offchain() {
		return fault.New(fault.OldDataMissing, op, "an off-chain node has no tickets; add -network arbitrum-one-mainnet")
	}
	network, _ := contracts.LookupNetwork(cfg.Chain.Network) // of an unknown one any chain is right
	old, err := FindExisting(cfg, network.ChainID)
	if err != nil {
		return err
	}
	if old == nil {
		return fault.New(fault.OldDataMissing, op,
			"nothing is at ~/.lpData/"+cfg.Chain.Network+", and -moveFrom is "+cfg.Storage.MoveFrom)
	}
	left, err := old.Read(ctx)
	if err != nil {
		return err
	}
	out := m.outcome(old, cfg, left)
	if out.Running = old.Busy(ctx, ""); out.Running != "" && !m.dry {
		return fault.New(fault.OldNodeRunning, "take over from "+old.Dir, out.Running+" works with it")
	}
	if m.dry {
		err = m.foresee(ctx, cfg, left, out)
	} else {
		err = m.move(ctx, cfg, old, left, out)
	}
	if err != nil {
		return err
	}
	return m.show(out)
}

func (m *MigrateTool) outcome(old *ExistingNode, cfg *config.Config, left *migrate.Left) *moved {
	out := &moved{From: old.Dir, To: cfg.Storage.DataDir, ChainID: left.ChainID, DryRun: m.dry, Keys: []movedKey{},
		Unredeemed: len(left.Tickets), Redeemed: left.Redeemed, Damaged: append([]string{}, left.Damaged...)}
	for i := range left.Tickets {
		t := &left.Tickets[i].Ticket
		out.Worth = out.Worth.Add(t.FaceValue)
		round := uint64(t.CreationRound)
		if i == 0 || round < out.FirstRound {
			out.FirstRound = round
		}
		out.LastRound = max(out.LastRound, round)
	}
	models := filepath.Join(old.Dir, migrate.ModelsName)
	if entries, err := os.ReadDir(models); err == nil && len(entries) > 0 {
		out.Models = models
	}
	return out
}

// foresee fills in what would be new, without making anything.
func (m *MigrateTool) foresee(ctx context.Context, cfg *config.Config, left *migrate.Left, out *moved) error {
	have, err := migrate.KeysIn(cfg.Storage.DataDir)
	if err != nil {
		return fault.Wrap(fault.KeystoreUnusable, "read the keystore", err)
	}
	for _, k := range left.Keys {
		known := slices.ContainsFunc(have, func(h migrate.Key) bool { return h.Address == k.Address })
		out.Keys = append(out.Keys, movedKey{Account: k.Address, File: k.Path, New: !known && cfg.Chain.Keystore == ""})
	}
	out.New = len(left.Tickets)
	path := filepath.Join(cfg.Storage.DataDir, database.FileName)
	if _, err := os.Stat(path); err != nil {
		return nil // there is no database yet
	}
	db, err := nodedb.OpenReadOnly(path)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	for i := range left.Tickets {
		var n int
		err := db.QueryRowContext(ctx, `SELECT count(*) FROM moving_ticket WHERE hash = ?`, left.Tickets[i].Hash[:]).Scan(&n)
		if err == nil { // without the table nothing is known
			out.New -= n
		}
	}
	return nil
}

// move does it, while no node works with the directory.
func (m *MigrateTool) move(ctx context.Context, cfg *config.Config, old *ExistingNode, left *migrate.Left,
	out *moved) error {
	dir := cfg.Storage.DataDir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fault.Wrap(fault.DataDirUnusable, "make data directory "+dir, err)
	}
	lock, err := nodedb.Lock(dir, nodedb.LockName)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	var copied []migrate.Key
	if cfg.Chain.Keystore == "" {
		if copied, err = migrate.CopyKeys(left.Keys, dir); err != nil {
			return err
		}
	}
	for _, k := range left.Keys {
		i := slices.IndexFunc(copied, func(c migrate.Key) bool { return c.Address == k.Address })
		if i >= 0 {
			k = copied[i]
		}
		out.Keys = append(out.Keys, movedKey{Account: k.Address, File: k.Path, New: i >= 0})
	}
	db, err := nodedb.Driver().Open(ctx, dir, nodedb.Connect)
	if err != nil {
		return fault.Wrap(fault.ChainCacheFailed, "open "+database.FileName, err)
	}
	record, err := migrate.OpenRecord(ctx, db)
	if err == nil {
		out.New, err = old.Keep(ctx, record, left)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return fault.Wrap(fault.ChainCacheFailed, "keep the existing node's tickets", err)
	}
	return nil
}
