package main

import (
	"github.com/tuttinode/tutti/cmd/tutti/internal/gateway"
	"github.com/tuttinode/tutti/cmd/tutti/internal/modelconfig"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/server/apikeystore"
	"github.com/tuttinode/tutti/server/gateway/guards"
	"github.com/tuttinode/tutti/server/tlscert"
)

// usableFiles reads the files that options name as a start does, without changing
// anything: what is wrong with them is known before another process makes place. A models
// file with mistakes is no hindrance as long as there is something in it to serve.
func usableFiles(cfg *config.Config) error {
	if cfg.AI.Models != "" && cfg.Roles.AIWorker {
		if list, _, err := modelconfig.Load(cfg, nil); err != nil && list.Empty() {
			return err
		}
	}
	if cfg.TLS.Cert != "" {
		if _, err := tlscert.ReadPair(cfg.TLS.Cert, cfg.TLS.Key); err != nil {
			return err
		}
	}
	if cfg.Gateway.APIKeys != "" {
		if _, err := apikeystore.ReadFile(cfg.Gateway.APIKeys); err != nil {
			return err
		}
	}
	if _, err := gateway.ReadRouting(cfg.Gateway.Routing); err != nil {
		return err
	}
	if cfg.Gateway.AIGuards != "" {
		if _, err := guards.ReadFile(cfg.Gateway.AIGuards); err != nil {
			return err
		}
	}
	if _, err := nodeenv.RedeemerTrust(cfg); err != nil {
		return err
	}
	_, err := nodeenv.WorkerCA(cfg.TLS.WorkerCA)
	return err
}
