// Command tutti_devnet is a chain on this machine to test against: a go-ethereum
// node in memory with Arbitrum's chain ID and habits, the protocol's contracts,
// accounts that have everything, and knobs for what goes wrong with chains and
// their providers.
//
// It is no part of the node. It is the only program that links a full Ethereum
// node, and its keys are public.
//
// server.go, api.go and deploymentapi.go serve the control API: JSON-RPC over HTTP on a loopback port
// of its own, in the namespace devnet. test/devnet/control is its client and holds its types.
//
// deployment.go and its neighbors deploy the protocol's contracts and act for the accounts around
// them: the owner that pauses and changes parameters, the faucet, and orchestrators with their
// delegators. The contracts are data of test/devnet/solidity; package chain makes the blocks.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

// Exit statuses.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() { os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr)) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(args) > 0 && args[0] == "ctl" {
		return ctl(ctx, args[1:], stdout, stderr)
	}
	opt, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		fmt.Fprintln(stderr, "tutti_devnet:", err)
		return exitUsage
	}
	log := slog.New(slog.NewTextHandler(stderr, nil))
	if err := serve(ctx, opt, log, stdout); err != nil {
		fmt.Fprintln(stderr, "tutti_devnet:", err)
		return exitFailed
	}
	return exitOK
}
