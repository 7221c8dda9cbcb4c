package recipient

import (
	"time"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// epochs are the present secret and those whose parameters may still come back, newest first.
type epochs struct {
	current pm.Epoch
	retired []pm.Epoch
}

// renewing is a ledger that replaces its epoch after a wrong height. Renewed is its Renewed.
type renewing interface {
	Renewed() (pm.Epoch, protocol.L1Block, bool)
}

// settleRenewal is the time in which every payment has ended that was checked with an old secret.
const settleRenewal = 2 * time.Minute

// maxRetired bounds the old secrets: parameters live for minutes.
const maxRetired = 1024

// renewal is a new epoch of the ledger that is being adopted.
type renewal struct {
	epoch  pm.EpochID
	since  time.Time
	height protocol.L1Block
	// lowered: the height is the ledger's.
	lowered bool
}

// renew adopts an epoch that the ledger began because its height was wrong: the secret at once,
// so that nothing made before is accepted again, and the lower height after settleRenewal. Only
// then can parameters that expire below the wrong height be used.
func (r *Recipient) renew(now time.Time) {
	l, ok := r.opt.Ledger.(renewing)
	if !ok {
		return
	}
	epoch, height, ok := l.Renewed()
	if !ok {
		return
	}
	n := &r.renewal
	switch {
	case n.epoch != epoch.ID:
		old := r.epochs.Load()
		retired := append([]pm.Epoch{old.current}, old.retired[:min(len(old.retired), maxRetired)]...)
		r.epochs.Store(&epochs{epoch, retired})
		*n = renewal{epoch: epoch.ID, since: now, height: height}
	case !n.lowered && now.Sub(n.since) >= settleRenewal:
		n.lowered = true
		r.reachedMu.Lock()
		defer r.reachedMu.Unlock()
		r.sets.lower(n.height)
		r.reached.Store(uint64(n.height))
	}
}
