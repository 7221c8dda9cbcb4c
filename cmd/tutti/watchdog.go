package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/pm"
)

// proofs have every part that must turn prove that it does: a request passes through
// the public listener, the pool of devices and the rules give their locks, and the
// ledger writes. ctx bounds all of them.
func (n *node) proofs(ctx context.Context) error {
	moved := make(chan error, 1)
	go func() { moved <- n.prove(ctx) }()
	select {
	case err := <-moved:
		return err
	case <-ctx.Done():
		return errors.New("a part that must move does not answer")
	}
}

func (n *node) prove(ctx context.Context) error {
	if n.Media.Pool != nil {
		n.Media.Pool.Devices()
	}
	if n.Orchestrator != nil {
		n.Orchestrator.Rules.Remaining()
	}
	if n.Earning != nil && n.Earning.Ledger != nil {
		// That it cannot write is a condition of its own, and no restart mends a full disk:
		// the ledger made progress if it answers at all.
		if err := n.Earning.Ledger.Append(ctx, pm.Entries{}); err != nil && ctx.Err() != nil {
			return fmt.Errorf("the ledger makes no progress: %w", err)
		}
	}
	if n.Orchestrator == nil {
		return nil
	}
	if l := n.Orchestrator.Server; l.Addr() != nil {
		scheme := "https://"
		if n.Orchestrator.Cert == nil {
			scheme = "http://"
		}
		return process.Answers(ctx, scheme, l.Addr())
	}
	return nil
}
