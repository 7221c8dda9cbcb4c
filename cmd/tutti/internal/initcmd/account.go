package initcmd

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/chain"
	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
	"github.com/tuttinode/tutti/cmd/tutti/nodedb"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/core/migrate"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/account"
	ethchain "github.com/tuttinode/tutti/eth/chain"
)

// account takes over an existing node's key and tickets, or makes a key where there is
// none, so that the operator can fund it before the first start.
func (t *initTool) account(ctx context.Context, cfg *config.Config) error {
	dir := cfg.Storage.DataDir
	if uid, gid, ok := serviceOwner(); t.install.packaged && ok {
		inside, err := openServiceDir(dir)
		if err != nil {
			return err
		}
		defer func() { _ = inside.Close() }()
		if err := t.fillDataDir(ctx, cfg); err != nil {
			return err
		}
		return giveToService(inside, uid, gid)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fault.Wrap(fault.DataDirUnusable, "make data directory "+dir, err)
	}
	return t.fillDataDir(ctx, cfg)
}

func (t *initTool) fillDataDir(ctx context.Context, cfg *config.Config) error {
	dir := cfg.Storage.DataDir
	if old := t.found.OldNode; old != "" && (t.moveFrom != "" || filepath.Base(old) == cfg.Chain.Network) {
		if err := t.takeOver(ctx, cfg, old); err != nil {
			return err
		}
	}
	keys := account.Open(filepath.Join(dir, "keystore"), account.Standard)
	entries, err := keys.List()
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		entry, err := keys.Create(cfg.Chain.Password, rand.Reader, t.now())
		if err != nil {
			return err
		}
		t.console.Report("")
		t.console.Report("Made a new account: %s", entry.Address)
		t.console.Report("Keep a copy of %s and of its passphrase; they cannot be restored.", entry.Path)
	}
	return nil
}

// takeOver does what `tutti migrate` does. It reports that the existing node still runs;
// nothing is lost by it: the key comes now, its tickets when it has stopped.
func (t *initTool) takeOver(ctx context.Context, cfg *config.Config, dir string) error {
	moved := *cfg
	moved.Storage.MoveFrom = dir
	t.console.Report("")
	t.console.Report("%s", t.console.ReportStyle.Title("Existing node"))
	m := command.MigrateTool{Stdout: t.stdout}
	err := m.Run(ctx, &moved)
	if !errors.Is(err, fault.OldNodeRunning) {
		return err
	}
	t.console.Report("%s", command.Describe(err))
	t.console.Report("Its tickets come over once it has stopped: tutti migrate -config %s -moveFrom %s",
		t.install.Config, dir)
	old, err := migrate.KeysIn(dir)
	if err == nil {
		_, err = migrate.CopyKeys(old, cfg.Storage.DataDir)
	}
	return err
}

// planFor bounds the look at the chain.
const planFor = 25 * time.Second

// foretell shows what is left to do on the chain. Nothing is sent.
func (t *initTool) foretell(ctx context.Context, cfg *config.Config) {
	ctx, cancel := context.WithTimeout(ctx, planFor)
	defer cancel()
	plan, address, err := t.plan(ctx, cfg)
	if err != nil {
		t.console.Report("%s", command.Describe(err))
		t.console.Report("%s", "The steps can be seen later: tutti_cli orchestrator activate --dry-run")
		return
	}
	t.showPlan(plan, address)
}

func (t *initTool) showPlan(plan protocol.ActivationPlan, address core.Address) {
	left := 0
	for _, step := range plan.Steps {
		if !step.Done {
			left++
		}
	}
	if plan.Done() {
		t.console.Report("On the chain: %s has nothing left to do", address)
		return
	}
	t.console.Report("On the chain: %d steps left for %s, about %s ETH in fees; tutti_cli orchestrator activate "+
		"--dry-run shows them, and the stake", left, address, plan.Fee.Ether())
	t.print(plan.Warnings)
	if plan.Blocked != nil {
		t.console.Report("%s", command.Describe(plan.Blocked))
	}
}

// plan asks the chain, with a database that is thrown away.
func (t *initTool) plan(ctx context.Context, cfg *config.Config) (
	plan protocol.ActivationPlan, address core.Address, err error) {
	const op = "look at the chain"
	quiet := slog.New(slog.DiscardHandler)
	board := health.New(quiet, time.Now, health.RootCauses())
	network, err := chain.Network(ctx, cfg, board, quiet)
	if err != nil {
		return plan, address, err
	}
	keys := account.Open(filepath.Join(cfg.Storage.DataDir, "keystore"), account.Standard)
	entry, err := keys.Choose(cfg.Chain.Account)
	if err != nil {
		return plan, address, err
	}
	signer, err := keys.Signer(entry, core.NewSecret("")) // it is never opened
	if err != nil {
		return plan, address, err
	}
	temp, err := os.MkdirTemp("", "tutti-init-*")
	if err != nil {
		return plan, address, err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	db, err := nodedb.Driver().Open(ctx, temp, nodedb.Connect)
	if err != nil {
		return plan, address, err
	}
	defer func() { _ = db.Close() }()
	parts, err := ethchain.NewNode(ctx, ethchain.NodeOptions{
		Network: network, Controller: cfg.Chain.Controller, AIRegistry: cfg.AI.ServiceRegistry, NoService: true,
		Endpoints: chain.Endpoints(cfg), Signer: signer, DB: db,
		PollInterval: cfg.Chain.PollingInterval, Timeout: cfg.Gas.Timeout, MinGasPrice: network.MinGasPrice,
		MaxGasPrice: cfg.Gas.MaxPrice,
		Board:       board, Log: quiet, Now: time.Now,
	})
	if err != nil {
		return plan, address, err
	}
	defer running(ctx, parts.Components())()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !parts.Chain.View().Known {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return plan, entry.Address, fault.New(fault.ChainUnavailable, op, "no endpoint answered in time")
		}
	}
	planner := protocol.ActivationPlanner{Rounds: parts.Chain, Stakes: parts.Chain, Funds: parts.Chain,
		Settings: parts.Chain,
		Actor:    parts.Chain}
	plan, err = planner.Plan(ctx, protocol.ActivationWish{ServiceURI: cfg.Addresses.Service.String()})
	return plan, entry.Address, err
}

// running starts components and returns what ends them.
func running(ctx context.Context, all []lifecycle.Component) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var parts sync.WaitGroup
	for _, c := range all {
		parts.Go(func() { _ = c.Run(ctx, func() {}) }) // why one ends shows in what is read
	}
	return func() { cancel(); parts.Wait() }
}
