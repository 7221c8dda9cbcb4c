package chain

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	ethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/eth/filters"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"
)

// startNode starts a go-ethereum node that has no peers and keeps everything
// in memory, and all states, so that old blocks can be asked.
func startNode(opt Options) (*node.Node, *eth.Ethereum, error) {
	quiet(opt.Log)
	nodeConf := node.DefaultConfig
	nodeConf.DataDir = ""
	nodeConf.P2P = p2p.Config{NoDiscovery: true, NoDial: true}
	stack, err := node.New(&nodeConf)
	if err != nil {
		return nil, nil, fmt.Errorf("make the node: %w", err)
	}
	backend, err := eth.New(stack, nodeConfig(opt))
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("make the chain: %w", err), stack.Close())
	}
	stack.RegisterAPIs([]rpc.API{{
		Namespace: "eth",
		Service:   filters.NewFilterAPI(filters.NewFilterSystem(backend.APIBackend, filters.Config{LogQueryLimit: 1000})),
	}})
	if err := stack.Start(); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("start the node: %w", err), stack.Close())
	}
	if err := install(backend.BlockChain(), newEngine()); err != nil {
		return nil, nil, errors.Join(err, stack.Close())
	}
	// Arbitrum orders by arrival, whatever the tip.
	backend.TxPool().SetGasTip(new(big.Int))
	return stack, backend, nil
}

func nodeConfig(opt Options) *ethconfig.Config {
	conf := ethconfig.Defaults
	conf.NetworkId = opt.ChainID
	conf.Genesis = genesis(opt)
	conf.SyncMode = ethconfig.FullSync
	conf.NoPruning = true
	conf.StateScheme = rawdb.HashScheme
	conf.LogNoHistory = true
	conf.DatabaseCache, conf.TrieCleanCache, conf.TrieDirtyCache, conf.SnapshotCache = 16, 8, 8, 0
	conf.TransactionHistory = 0
	conf.RPCTxFeeCap = 0
	conf.Miner.GasCeil = gasLimit
	conf.TxPool.NoLocals = true
	conf.TxPool.Journal = ""
	conf.TxPool.AccountSlots, conf.TxPool.AccountQueue = 1024, 1024
	return &conf
}

func genesis(opt Options) *ethcore.Genesis {
	now := uint64(opt.Now().Unix())
	alloc := make(types.GenesisAlloc, len(opt.Balances)+2)
	for address, balance := range opt.Balances {
		alloc[address] = types.Account{Balance: balance.Big()}
	}
	alloc[Address(sequencer())] = types.Account{Balance: sequencerBalance()}
	if len(opt.Clock) > 0 {
		alloc[ClockAddress] = types.Account{Balance: new(big.Int), Code: opt.Clock, Storage: map[common.Hash]common.Hash{
			{}:        common.BigToHash(new(big.Int).SetUint64(uint64(opt.L1Start))),
			{31: 0x1}: common.BytesToHash(Address(sequencer()).Bytes()),
		}}
	}
	return &ethcore.Genesis{
		Config: rules(opt.ChainID), Timestamp: now, GasLimit: gasLimit, Difficulty: new(big.Int),
		BaseFee: opt.BaseFee.Big(), Mixhash: mixOf(opt.L1Start), Alloc: alloc,
	}
}

// rules are Ethereum's as of Cancun, the newest that compilers aim at by default,
// without the later system calls.
func rules(chainID uint64) *params.ChainConfig {
	config := *params.AllDevChainProtocolChanges
	config.ChainID = new(big.Int).SetUint64(chainID)
	config.PragueTime, config.OsakaTime = nil, nil
	config.BPO1Time, config.BPO2Time, config.BPO3Time, config.BPO4Time, config.BPO5Time = nil, nil, nil, nil, nil
	config.AmsterdamTime, config.VerkleTime = nil, nil
	config.BlobScheduleConfig = &params.BlobScheduleConfig{Cancun: params.DefaultCancunBlobConfig}
	return &config
}

// quiet sends what the node logs to ours, errors only: its warnings are about a
// network, a disk and clients that this chain has not got or means to annoy.
func quiet(to *slog.Logger) { log.SetDefault(log.NewLogger(errorsOnly{to.Handler()})) }

type errorsOnly struct{ slog.Handler }

// Enabled is true for errors.
func (e errorsOnly) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelError && e.Handler.Enabled(ctx, level)
}
