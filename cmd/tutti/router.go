package main

import (
	"crypto/rand"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/server/router"
	"github.com/tuttinode/tutti/server/tlscert"
)

// addRouter adds the listener that answers gateways for several orchestrators.
func (n *node) addRouter() error {
	listen := n.Config.Addresses.OrchestratorListen
	opt := router.Options{Addr: listen.Addr(), Backends: nodeenv.Authorities(n.Config.Addresses.Orchestrators),
		Version: process.Version,
		Board:   n.Board, Now: time.Now, Log: n.Log,
		Connections: n.Connections(), PerAddress: n.Config.Limits.PerAddress, Known: n.Config.Limits.KnownPeers,
		Scarce: n.Files.Refused}
	if !listen.Plaintext {
		var err error
		if opt.Cert, err = tlscert.Open(tlscert.Options{
			CertFile: n.Config.TLS.Cert, KeyFile: n.Config.TLS.Key, Dir: n.Config.Storage.DataDir,
			Host: n.Config.Addresses.Service.Host, Now: time.Now, Rand: rand.Reader, Log: n.Log,
		}); err != nil {
			return err
		}
	}
	r, err := router.New(opt)
	if err != nil {
		return err
	}
	n.Add(r)
	return nil
}
