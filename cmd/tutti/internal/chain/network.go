package chain

import (
	"context"
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/eth/chain"
	"github.com/tuttinode/tutti/eth/contracts"
)

// Network returns what is known of the network by its name. For an unknown name it asks the
// endpoints for the chain ID.
func Network(ctx context.Context, cfg *config.Config, board *health.Board, log *slog.Logger) (
	contracts.Network, error) {
	name := cfg.Chain.Network
	if network, ok := contracts.LookupNetwork(name); ok {
		return network, nil
	}
	id, err := chain.ChainID(ctx, chain.NodeOptions{Endpoints: Endpoints(cfg), Board: board, Log: log, Now: time.Now})
	if err != nil {
		return contracts.Network{}, err
	}
	return contracts.Network{Name: name, ChainID: id, Controller: cfg.Chain.Controller,
		RedeemGas: contracts.UnknownRedeemGas}, nil
}

// Endpoints returns the URLs of -ethUrl, which may hold keys.
func Endpoints(cfg *config.Config) []core.Secret {
	var out []core.Secret
	for _, u := range cfg.Chain.Endpoints {
		out = append(out, core.NewSecret(u.Reveal()))
	}
	return out
}
