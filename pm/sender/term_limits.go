package sender

import (
	"fmt"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// Limits of names that an orchestrator chooses, in bytes. They are kept in memory and on disk
// while it is paid.
const (
	maxPeer    = 256
	maxSession = 64
	// maxKey fits a session or a stream, and for a model's name after its
	// capability.
	maxKey = pm.MaxModelID + 16
)

// maxAhead bounds the life of parameters in layer-1 blocks: more than a day. Their nonces are
// remembered until they expire.
const maxAhead = 10_000

// Check says whether terms can be paid at all, before anything is reserved or remembered for
// them. Errors are the faults OrchestratorUnusable, TicketParamsUnusable and TicketParamsStale.
func (s *Sender) Check(t *Terms) error {
	if err := t.checkNames(); err != nil || t.Price.Free() {
		return err
	}
	return t.checkParams(s.opt.Chain.View())
}

// checkNames refuses names that are too long.
func (t *Terms) checkNames() error {
	for _, n := range []struct {
		what       string
		size, most int
	}{
		{"address", len(t.Peer), maxPeer}, {"session id", len(t.Session), maxSession}, {"account", len(t.Key), maxKey},
		{"stream", len(t.Stream), maxKey}, {"stream", len(t.Push), maxKey}, {"model", len(t.Model), pm.MaxModelID},
	} {
		if n.size > n.most {
			return fault.New(fault.OrchestratorUnusable, "read terms of payment",
				fmt.Sprintf("its %s has %d bytes, at most %d are taken", n.what, n.size, n.most))
		}
	}
	return nil
}

// checkParams says whether tickets can be made with the parameters now.
func (t *Terms) checkParams(view protocol.View) error {
	const op = "make payment"
	if t.Params == nil {
		return fault.New(fault.TicketParamsUnusable, op, "no ticket params")
	}
	if err := pm.CheckParams(t.Params, view.Head.L1); err != nil {
		return err
	}
	// Before the first block is read the height is 0, and nothing is known.
	if ahead := t.Params.ExpirationBlock - view.Head.L1; view.Head.L1 > 0 && ahead > maxAhead {
		return fault.New(fault.TicketParamsUnusable, op, fmt.Sprintf(
			"ticket params expire in %d blocks, at most %d are taken", ahead, maxAhead))
	}
	return nil
}
