package main

import (
	"context"
	"crypto/rand"
	"errors"
	"math"
	"time"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/metrics"
	"github.com/tuttinode/tutti/server/orchestrator"
	"github.com/tuttinode/tutti/server/tlscert"
)

// networkVersion is the release of the existing network's node whose wire
// interface this one speaks. Gateways compare it with the minimum they were
// given; tutti's own version would tell them nothing.
const networkVersion = "0.9.1"

// addOrchestrator adds the media workers and the public listener before them.
func (n *node) addOrchestrator(ctx context.Context) (err error) {
	recorder := n.recorder(metrics.Orchestrator)
	media, err := startMedia(ctx, n, recorder)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, media.Close())
		}
	}()
	can := capability.SoftwareTranscoder()
	if n.cfg.Transcoding.HEVCDecoding == config.Off {
		can = can.Without(capability.HEVCDecode)
	}
	offer := capability.Offer(can, networkVersion)
	service := n.cfg.Addresses.Service
	rules, err := orchestrate.New(orchestrate.Options{
		ServiceURI:   service.String(),
		Capabilities: func() capability.Capabilities { return offer },
		Transcoder:   media,
		Admitter:     media,
		Recorder:     recorder,
		Limit:        n.cfg.Limits.MaxSessions.N,
		ResultBytes:  int64(n.cfg.Limits.ResultMemory),
		Now:          time.Now,
		Rand:         rand.Reader,
		Log:          n.log,
	})
	if err != nil {
		return err
	}
	listen := n.cfg.Addresses.OrchestratorListen
	var cert *tlscert.Source
	if !listen.Plaintext {
		cert, err = tlscert.Open(tlscert.Options{
			CertFile: n.cfg.TLS.Cert, KeyFile: n.cfg.TLS.Key, Dir: n.cfg.Storage.DataDir,
			Host: service.Host, Now: time.Now, Rand: rand.Reader, Log: n.log,
		})
		if err != nil {
			return err
		}
	}
	server, err := orchestrator.New(orchestrator.Options{
		Addr: listen.Addr(), Orchestrator: rules, Cert: cert,
		Version: version, Roles: n.roles(), Connections: n.connections(),
		Now: time.Now, Log: n.log,
	})
	if err != nil {
		return err
	}
	n.limiter, n.media = limiters{rules, media}, media
	n.add(media)
	n.add(rules)
	n.add(server)
	if n.cfg.Addresses.StartupCheck {
		n.add(&selfCheck{uri: service.String(), board: n.board, log: n.log})
	}
	return nil
}

// connections bounds a public listener; the operator's 0 is no bound.
func (n *node) connections() int {
	if n.cfg.Limits.MaxConnections == 0 {
		return math.MaxInt32
	}
	return n.cfg.Limits.MaxConnections
}

// roles are the node's roles as /status shows them.
func (n *node) roles() []string {
	out := []string{"orchestrator", "transcoder"}
	if n.cfg.Roles.Gateway {
		out = append(out, "gateway")
	}
	return out
}

// limiters changes the session limit wherever it is kept.
type limiters []interface{ SetMaxSessions(n int) }

// SetMaxSessions changes the limit; 0 admits by what is measured.
func (l limiters) SetMaxSessions(n int) {
	for _, each := range l {
		each.SetMaxSessions(n)
	}
}
