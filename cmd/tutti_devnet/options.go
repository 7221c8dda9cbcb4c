package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// options are what the command line says.
type options struct {
	listen      string
	control     string
	endpoints   int
	accounts    int
	keys        bool
	ready       string
	chainID     uint64
	blockTime   time.Duration
	l1Time      time.Duration
	l1Start     uint64
	baseFee     core.Wei
	roundLength uint64
	poolSize    uint32
	contracts   bool
	initialize  bool
}

const usageHead = `usage: tutti_devnet [flags]
       tutti_devnet ctl [-control url] method [argument ...]

A chain on this machine to test against. It keeps everything in memory and stops
on SIGINT or SIGTERM. ctl calls the control API of one that runs; docs/devnet.md
lists its methods.

`

func parse(args []string, stderr io.Writer) (options, error) {
	opt := options{baseFee: core.NewWei(10_000_000), poolSize: 100}
	fs := flag.NewFlagSet("tutti_devnet", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() {
		fmt.Fprint(stderr, usageHead)
		fs.PrintDefaults()
	}
	fs.StringVar(&opt.listen, "listen", "127.0.0.1:8545",
		"address of the first endpoint, HTTP and websocket; the others follow on the next ports; port 0 takes free ones")
	fs.StringVar(&opt.control, "control", "127.0.0.1:8544", "address of the control API; port 0 takes a free one")
	fs.IntVar(&opt.endpoints, "endpoints", 1, "how many endpoints there are; each can misbehave on its own")
	fs.IntVar(&opt.accounts, "accounts", 10,
		"how many accounts have 10000 ETH and stake tokens; "+
			"the key of the N-th is keccak256(\"tutti devnet account N\"), from 0")
	fs.BoolVar(&opt.keys, "keys", false, "print the accounts' private keys too")
	fs.StringVar(&opt.ready, "ready", "", "file to write when everything is ready: addresses and accounts, as JSON")
	fs.Uint64Var(&opt.chainID, "chainID", 42161, "chain ID")
	fs.DurationVar(&opt.blockTime, "l2BlockTime", 250*time.Millisecond,
		"how often a block is made; 0 only when a transaction comes, or on control")
	fs.DurationVar(&opt.l1Time, "l1BlockTime", time.Second, "how often the L1 block number advances; 0 only on control")
	fs.Uint64Var(&opt.l1Start, "l1Start", 20_000_000, "the first L1 block number")
	fs.TextVar(&opt.baseFee, "baseFee", opt.baseFee, "wei per gas")
	fs.Uint64Var(&opt.roundLength, "roundLength", 30, "L1 blocks in a round")
	fs.Func("poolSize", "how many orchestrators can be active (default 100)", func(s string) error {
		n, err := strconv.ParseUint(s, 10, 32)
		opt.poolSize = uint32(n)
		return err
	})
	fs.BoolVar(&opt.initialize, "initializeRounds", false,
		"initialize each round when it begins, as others do on a real network")
	fs.BoolVar(&opt.contracts, "contracts", true, "deploy the protocol's contracts")
	if err := fs.Parse(args); err != nil {
		return opt, err
	}
	return opt, opt.check(fs.Args())
}

// check says what is wrong with the values.
func (o options) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unknown argument %q; -h lists the flags", rest[0])
	case o.endpoints < 1 || o.endpoints > 100:
		return errors.New("-endpoints must be from 1 to 100")
	case o.accounts < 0 || o.accounts > 10_000:
		return errors.New("-accounts must be from 0 to 10000")
	case o.blockTime != 0 && o.blockTime < 10*time.Millisecond, o.l1Time != 0 && o.l1Time < 10*time.Millisecond:
		return errors.New("-l2BlockTime and -l1BlockTime must be 0 or at least 10ms")
	case o.roundLength == 0 || o.poolSize == 0:
		return errors.New("-roundLength and -poolSize must be above 0")
	case o.chainID == 0:
		return errors.New("-chainID must be above 0")
	}
	return nil
}

func (o options) firstL1() protocol.L1Block { return protocol.L1Block(o.l1Start) }
