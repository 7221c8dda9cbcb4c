package main

import (
	"crypto/tls"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/keystore"
)

// usableFiles reads the files that options name as a start does, without changing
// anything: what is wrong with them is known before another process makes place. A models
// file with mistakes is no hindrance as long as there is something in it to serve.
func usableFiles(cfg *config.Config) error {
	if cfg.AI.Models != "" && cfg.Roles.AIWorker {
		if list, _, err := loadModels(cfg, nil); err != nil && list.Empty() {
			return err
		}
	}
	if cfg.TLS.Cert != "" {
		if _, err := tls.LoadX509KeyPair(cfg.TLS.Cert, cfg.TLS.Key); err != nil {
			return fault.Wrap(fault.CertificateUnusable, "read "+cfg.TLS.Cert, err)
		}
	}
	if cfg.Gateway.APIKeys != "" {
		if _, err := keystore.ReadFile(cfg.Gateway.APIKeys); err != nil {
			return err
		}
	}
	if _, err := redeemerTrust(cfg); err != nil {
		return err
	}
	_, err := authorities509(cfg.TLS.WorkerCA)
	return err
}
