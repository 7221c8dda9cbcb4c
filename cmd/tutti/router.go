package main

import (
	"crypto/rand"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/release"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/server/router"
	"github.com/tuttinode/tutti/server/tlscert"
)

// addRouter adds the listener that answers gateways for several orchestrators.
func (n *node) addRouter() error {
	listen := n.cfg.Addresses.OrchestratorListen
	opt := router.Options{Addr: listen.Addr(), Backends: authorities(n.cfg.Addresses.Orchestrators), Version: release.Version,
		Board: n.board, Now: time.Now, Log: n.log,
		Connections: n.connections(), PerAddress: n.cfg.Limits.PerAddress, Known: n.cfg.Limits.KnownPeers, Scarce: n.files.Refused}
	if !listen.Plaintext {
		var err error
		if opt.Cert, err = tlscert.Open(tlscert.Options{
			CertFile: n.cfg.TLS.Cert, KeyFile: n.cfg.TLS.Key, Dir: n.cfg.Storage.DataDir,
			Host: n.cfg.Addresses.Service.Host, Now: time.Now, Rand: rand.Reader, Log: n.log,
		}); err != nil {
			return err
		}
	}
	r, err := router.New(opt)
	if err != nil {
		return err
	}
	n.add(r)
	return nil
}

// authorities are addresses as they are dialled, host:port.
func authorities(list []config.HostPort) []string {
	var out []string
	for _, a := range list {
		out = append(out, a.Authority())
	}
	return out
}
