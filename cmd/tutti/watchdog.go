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
	if n.media != nil {
		n.media.Devices()
	}
	if n.live.rules != nil {
		n.live.rules.Remaining()
	}
	if n.earning != nil && n.earning.ledger != nil {
		// That it cannot write is a condition of its own, and no restart mends a full disk:
		// it has turned if it says anything.
		if err := n.earning.ledger.Append(ctx, pm.Entries{}); err != nil && ctx.Err() != nil {
			return fmt.Errorf("the ledger does not turn: %w", err)
		}
	}
	if l := n.live.listener; l != nil && l.Addr() != nil {
		scheme := "https://"
		if n.live.cert == nil {
			scheme = "http://"
		}
		return process.Answers(ctx, scheme, l.Addr())
	}
	return nil
}
