package txmgr

import (
	"context"
	"slices"

	"github.com/tuttinode/tutti/core/protocol"
)

// settle writes the changed records, and removes the settled ones from the queue.
func (m *Manager) settle(ctx context.Context) {
	for _, f := range slices.Clone(m.nonces.pending) {
		if !f.dirty || !m.write(ctx, f) {
			continue
		}
		if f.rec.Settled {
			m.retire(f)
		}
	}
}

// retire moves a settled transaction to the history. The journal has it.
func (m *Manager) retire(f *pendingTx) {
	m.nonces.pending = slices.DeleteFunc(m.nonces.pending, func(o *pendingTx) bool { return o == f })
	f.rec.Settled = true
	m.nonces.history = append(m.nonces.history, f.rec)
	slices.SortFunc(m.nonces.history, func(a, b Record) int { return int(int64(a.ID) - int64(b.ID)) })
	if n := len(m.nonces.history) - JournalKept; n > 0 {
		m.nonces.history = slices.Delete(m.nonces.history, 0, n)
	}
	m.opt.Log.Info("transaction settled", "tx", f.view().Hash.String(), "action", f.rec.Call.Verb, "state",
		string(f.rec.State), "code", string(f.rec.Code))
}

// fail ends a transaction whose nonce a foreign one used, and whose action is not done again.
func (m *Manager) fail(f *pendingTx, err error) {
	f.foreign, f.resend = true, nil
	f.rec.State = protocol.TxDropped
	f.answer(err)
	m.markSettled(f)
}
