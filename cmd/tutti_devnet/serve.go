package main

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"github.com/ethereum/go-ethereum/common"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/test/devnet/chain"
	"github.com/tuttinode/tutti/test/devnet/control"
	"github.com/tuttinode/tutti/test/devnet/endpoints"
	"github.com/tuttinode/tutti/test/devnet/solidity"
	"golang.org/x/sync/errgroup"
)

// program is everything that runs.
type program struct {
	opt        options
	chain      *chain.Chain
	endpoints  *endpoints.Set
	deployment *Deployment // nil without contracts
	control    *remoteServer
}

// serve runs the chain until ctx ends.
func serve(ctx context.Context, opt options, log *slog.Logger, stdout io.Writer) (err error) {
	d := &program{opt: opt}
	defer func() { err = errors.Join(err, d.close()) }()
	if err := d.open(ctx, log); err != nil {
		return err
	}
	info := d.info()
	if err := announce(stdout, opt, info); err != nil {
		return err
	}
	if opt.ready != "" {
		if err := writeReady(opt.ready, info); err != nil {
			return err
		}
	}
	return d.run(ctx)
}

// run makes blocks, and begins rounds if that was asked for.
func (d *program) run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return d.chain.Run(ctx) })
	if d.opt.initialize && d.deployment != nil {
		group.Go(func() error { return d.deployment.KeepRounds(ctx) })
	}
	return group.Wait()
}

func (d *program) open(ctx context.Context, log *slog.Logger) (err error) {
	clock, err := solidity.ArtifactOf("L1Clock")
	if err != nil {
		return err
	}
	d.chain, err = chain.New(chain.Options{
		ChainID: d.opt.chainID, Balances: balances(d.opt.accounts), BaseFee: d.opt.baseFee, Clock: clock.Runtime,
		L1Start: d.opt.firstL1(), L1Time: d.opt.l1Time, BlockTime: d.opt.blockTime, Log: log,
	})
	if err != nil {
		return err
	}
	if d.opt.contracts {
		if err := d.deploy(ctx); err != nil {
			return err
		}
	}
	if d.endpoints, err = endpoints.Open(d.chain, d.opt.listen, d.opt.endpoints); err != nil {
		return err
	}
	services := []any{newChainAPI(d.chain, d.endpoints, d.info)}
	if d.deployment != nil {
		services = append(services, newDeploymentAPI(d.deployment))
	}
	d.control, err = listenRemote(d.opt.control, services...)
	return err
}

// deploy puts the contracts on the chain and gives the accounts stake tokens.
func (d *program) deploy(ctx context.Context) (err error) {
	settings := solidity.DefaultSettings()
	settings.RoundLength = protocol.L1Block(d.opt.roundLength)
	settings.PoolSize = d.opt.poolSize
	if d.deployment, err = Deploy(ctx, d.chain, settings); err != nil {
		return err
	}
	return d.deployment.FundLPT(ctx, core.LPTTokens(tokensEach), d.accounts()...)
}

// tokensEach is how many stake tokens each account has.
const tokensEach = 10_000

func (d *program) accounts() []common.Address {
	out := make([]common.Address, d.opt.accounts)
	for n := range out {
		out[n] = control.Address(control.AccountKey(uint64(n)))
	}
	return out
}

// close ends what was opened, clients first.
func (d *program) close() error {
	var errs []error
	if d.control != nil {
		errs = append(errs, d.control.Close())
	}
	if d.endpoints != nil {
		errs = append(errs, d.endpoints.Close())
	}
	if d.deployment != nil {
		d.deployment.Close()
	}
	if d.chain != nil {
		errs = append(errs, d.chain.Close())
	}
	return errors.Join(errs...)
}

func (d *program) info() control.Info {
	info := control.Info{
		ChainID: d.opt.chainID, Endpoints: d.endpoints.URLs(), Control: d.control.URL(), Accounts: d.accounts(),
		Deployer: control.Address(control.DeployerKey()), Contracts: map[string]common.Address{},
	}
	if d.deployment != nil {
		info.Contracts = d.deployment.Addresses()
		info.Controller = d.deployment.Address("Controller")
		info.AIServiceRegistry = d.deployment.Address("AIServiceRegistry")
		info.PriceFeed = d.deployment.Address("PriceFeed")
	}
	return info
}

// balances returns the accounts that have ether from the first block.
func balances(accounts int) map[common.Address]core.Wei {
	each, err := core.ParseEther("10000")
	if err != nil {
		panic(err)
	}
	bank, err := core.ParseEther("1000000000")
	if err != nil {
		panic(err)
	}
	out := map[common.Address]core.Wei{control.Address(control.DeployerKey()): bank}
	for n := range accounts {
		out[control.Address(control.AccountKey(uint64(n)))] = each
	}
	return out
}
