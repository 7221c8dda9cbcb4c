package txmgr

import (
	"context"
	"slices"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/journal"
)

// settle writes what the look at the chain changed, and takes out of the lane what
// does not change any more.
func (m *Manager) settle(ctx context.Context) {
	for _, f := range slices.Clone(m.lane.flights) {
		if !f.dirty || !m.write(ctx, f) {
			continue
		}
		if f.rec.Settled {
			m.end(f)
		}
	}
}

// end takes a flight out of the lane. The journal has it.
func (m *Manager) end(f *flight) {
	m.lane.flights = slices.DeleteFunc(m.lane.flights, func(o *flight) bool { return o == f })
	f.rec.Settled = true
	m.lane.history = append(m.lane.history, f.rec)
	slices.SortFunc(m.lane.history, func(a, b journal.Record) int { return int(int64(a.ID) - int64(b.ID)) })
	if n := len(m.lane.history) - journal.Kept; n > 0 {
		m.lane.history = slices.Delete(m.lane.history, 0, n)
	}
	m.opt.Log.Info("transaction settled", "tx", f.view().Hash.String(), "action", f.rec.Call.Verb, "state", string(f.rec.State), "code", string(f.rec.Code))
}

// fail ends a flight whose nonce somebody else has, and whose action is not done
// again.
func (m *Manager) fail(f *flight, err error) {
	f.foreign, f.heir = true, nil
	f.rec.State = protocol.TxDropped
	f.answer(err)
	m.conclude(f)
}
