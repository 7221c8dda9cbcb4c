package chaos

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"time"

	"github.com/mattn/go-sqlite3"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/account"
	"github.com/tuttinode/tutti/eth/chain"
	"github.com/tuttinode/tutti/eth/contracts"
	"github.com/tuttinode/tutti/test/devnet"
)

// settings are a node's; they are the same for all its lives.
type settings struct {
	Endpoints []string
	// Dir is the data directory, with the database and the key.
	Dir     string
	Account core.Address
	Clock   clock
	Poll    time.Duration
	// Timeout is how long a transaction has before it is replaced, in the node's
	// time.
	Timeout     time.Duration
	MaxGasPrice core.Wei
	// Reward is whether the node calls it; empty is whenever it may.
	Reward protocol.RewardMode
	// InitializeRound: the node opens rounds after at most so long, never for 0.
	InitializeRound time.Duration
}

// passphrase seals a key that everybody knows.
func passphrase() core.Secret { return core.NewSecret("chaos") }

func keystore(dir string) *account.Keystore {
	return account.Open(filepath.Join(dir, "keystore"), devnet.KeyCost)
}

// node is the node's part on the chain, made of the same parts as cmd/tutti does.
type node struct {
	*chain.Node
	board      *health.Board
	caller     *protocol.RewardCaller
	components []lifecycle.Component
	db         *sql.DB
	log        *slog.Logger
}

// wire puts a node together; nothing runs.
func wire(ctx context.Context, s settings, log *slog.Logger) (*node, error) {
	signer, err := unlock(s)
	if err != nil {
		return nil, err
	}
	db, err := openDatabase(ctx, s.Dir)
	if err != nil {
		return nil, err
	}
	network, _ := contracts.LookupNetwork(contracts.Devnet)
	n := &node{db: db, log: log, board: health.New(log, s.Clock.now, nil)}
	opt := chain.NodeOptions{
		Network: network, Signer: signer, DB: db, PollInterval: s.Poll,
		Timeout: s.Timeout, Replacements: 5, MaxGasPrice: s.MaxGasPrice,
		Board: n.board, Log: log, Now: s.Clock.now,
	}
	for _, url := range s.Endpoints {
		opt.Endpoints = append(opt.Endpoints, core.NewSecret(url))
	}
	if n.Node, err = chain.NewNode(ctx, opt); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	n.components = n.Components()
	n.addRounds(s)
	return n, nil
}

// addRounds adds what happens once a round, with pauses that fit the pace of the
// rounds.
func (n *node) addRounds(s settings) {
	n.caller = protocol.NewRewardCaller(protocol.RewardOptions{
		Mode: cmp.Or(s.Reward, protocol.RewardAuto), Orchestrator: s.Account, Rounds: n.Chain, Stakes: n.Chain,
		Actor:  n.Chain,
		Events: n.Chain,
		Retry:  100 * time.Millisecond, MaxRetry: time.Second, Check: 5 * time.Second,
		Now: s.Clock.now, Board: n.board, Log: n.log,
	})
	n.components = append(n.components, n.caller)
	if s.InitializeRound > 0 {
		n.components = append(n.components, protocol.NewRoundInitializer(protocol.RoundInitializerOptions{
			Rounds: n.Chain, Actor: n.Chain, Events: n.Chain, MaxDelay: s.InitializeRound,
			Rand: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())), Board: n.board, Log: n.log,
		}))
	}
}

// run runs the node until ctx ends.
func (n *node) run(ctx context.Context) error {
	err := lifecycle.Run(ctx, n.log, nil, n.components...)
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(err, n.db.Close())
}

func unlock(s settings) (*account.Signer, error) {
	keys := keystore(s.Dir)
	entry, err := keys.Choose(s.Account)
	if err != nil {
		return nil, err
	}
	return keys.Unlock(entry, passphrase())
}

func openDatabase(ctx context.Context, dir string) (*sql.DB, error) {
	driver := database.Driver{Name: "sqlite3", Busy: func(err error) bool {
		e, ok := errors.AsType[sqlite3.Error](err)
		return ok && e.Code == sqlite3.ErrBusy
	}}
	return driver.Open(ctx, dir, func(context.Context, *sql.DB) error { return nil })
}
