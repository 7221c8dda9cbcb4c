package redeemer

import (
	"sync"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// maxPayoutHints bounds the remembered payouts; a check finds the others.
const maxPayoutHints = 4096

// payoutKey identifies a ticket in an event.
type payoutKey struct {
	sender core.Address
	nonce  uint64
	rand   protocol.Word
}

// payoutHints are redemptions seen in events. One endpoint's event is enough for a hint: it triggers
// a check, and changes no ticket.
type payoutHints struct {
	mu    sync.Mutex
	all   map[payoutKey]protocol.TxHash // guarded by mu
	isNew bool                          // guarded by mu
}

// onEvent handles an event of the chain.
func (h *payoutHints) onEvent(e protocol.Event) {
	r, ok := e.(protocol.TicketRedeemed)
	if !ok {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.all) >= maxPayoutHints {
		clear(h.all)
	}
	h.all[payoutKey{r.Payout.Sender, r.Payout.SenderNonce, r.Payout.RecipientRand}] = r.Payout.Tx
	h.isNew = true
}

// fresh reports whether an event came since the last call.
func (h *payoutHints) fresh() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	was := h.isNew
	h.isNew = false
	return was
}

// of returns the transaction that redeemed a ticket, according to an event.
func (h *payoutHints) of(w *pm.Winner) (protocol.TxHash, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	tx, ok := h.all[keyOf(w)]
	return tx, ok
}

func (h *payoutHints) forget(w *pm.Winner) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.all, keyOf(w))
}

func keyOf(w *pm.Winner) payoutKey {
	return payoutKey{w.Ticket.Sender, w.Ticket.SenderNonce, w.Ticket.RecipientRand}
}
