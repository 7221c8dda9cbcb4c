package config

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// The networks that need no -ethController, and the endpoint of the local one.
const (
	mainNetwork    = "arbitrum-one-mainnet"
	devNetwork     = "devnet"
	devnetEndpoint = "http://127.0.0.1:8545"
)

// Networks returns the names that -network knows; others need -ethController.
func Networks() []string { return []string{mainNetwork, devNetwork} }

// validateNetwork checks that the chain can be found, and that this process is the
// one that should use it.
func (l *loader) validateNetwork() {
	l.validateRetired()
	if !l.valid("network") {
		return
	}
	chain := &l.config.Chain
	switch {
	case chain.Offchain():
		return
	case !slices.Contains(Networks(), chain.Network) && chain.Controller.IsZero() && l.valid("ethController"):
		l.reportOption(fault.MissingOption, "network",
			"it is none of the known networks, so the controller contract must be named",
			"add -ethController 0x…, or write "+mainNetwork)
		return
	}
	if g, ok := l.given("ethPassword"); ok {
		if _, err := l.in.read(g.value); err == nil {
			chain.PasswordFile = g.value
		} else if errors.Is(err, fs.ErrNotExist) && beginsLikePath(g.value) {
			l.reportOption(fault.ConfigUnreadable, "ethPassword", "it looks like a path, and there is no such file",
				"correct the path; a passphrase that looks like one belongs in a file")
		}
	}
	l.completeEndpoints()
}

// validateRetired refuses networks that no longer exist.
func (l *loader) validateRetired() {
	if !l.valid("network") {
		return
	}
	switch l.config.Chain.Network {
	case "rinkeby", "arbitrum-one-rinkeby":
		l.reportOption(fault.BadOption, "network", "this test network was retired",
			"write "+mainNetwork+", or leave the option out to run off-chain")
	case "mainnet":
		l.reportOption(fault.BadOption, "network", "the protocol left layer 1, where its contracts are paused",
			"write -network "+mainNetwork)
	}
}

// validateWallet keeps workers off the chain: with the orchestrator's wallet they
// would send transactions of their own.
func (l *loader) validateWallet() {
	r := l.config.Roles
	worker := (r.Transcoder || r.AIWorker) && !r.Orchestrator && !r.Gateway
	if _, given := l.given("ethUrl"); worker && given && l.valid("ethUrl", "orchestrator") {
		l.reportOption(fault.WalletOnWorker, "ethUrl",
			"a process that only works for a remote orchestrator must not reach the chain: with the "+
				"orchestrator's wallet it would send transactions of its own",
			"remove it from this process, and -network too; only the orchestrator talks to the chain")
	}
}

func (l *loader) completeEndpoints() {
	chain := &l.config.Chain
	if len(chain.Endpoints) > 0 || !l.valid("ethUrl") {
		return
	}
	if chain.Network != devNetwork {
		l.reportOption(fault.MissingOption, "network", "the chain needs an endpoint to be reached by",
			"add -ethUrl https://… with the address of a layer-2 endpoint; several, separated by commas, are "+
				"better than one")
		return
	}
	u, err := ParseURL(devnetEndpoint, "http")
	if err != nil {
		panic("config: " + err.Error())
	}
	chain.Endpoints = []URL{u}
}

// beginsLikePath reports whether a value looks like a path. Passphrases do not begin like this,
// and a mistyped path would be taken for a passphrase.
func beginsLikePath(s string) bool {
	return strings.HasPrefix(s, "/") || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") ||
		strings.HasPrefix(s, "~/")
}
