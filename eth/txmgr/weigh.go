package txmgr

import (
	"context"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
)

// told is what the health board was told, so that it hears of changes only.
type told struct {
	above     string // the bound that the price is above, "" when it is not
	stuck     string
	foreignAt time.Time
}

// foreignFor is how long another user of the key stays a trouble after it was
// noticed last.
const foreignFor = 24 * time.Hour

// weigh sets and clears the lasting troubles.
func (m *Manager) weigh(ctx context.Context, head protocol.Head) {
	m.recheckMoney(ctx, head)
	m.weighPrice(head)
	m.weighFront()
	m.forgetForeign()
}

// quiet is weigh when nothing is on its way.
func (m *Manager) quiet() {
	m.weighPrice(protocol.Head{})
	m.weighFront()
	m.forgetForeign()
}

// weighPrice tells of a base fee that holds transactions back.
func (m *Manager) weighPrice(head protocol.Head) {
	above, limit := "", m.bounds().max
	if !limit.IsZero() && head.BaseFee.Cmp(limit) > 0 && (m.lane.front() != nil || len(m.lane.queue) > 0) {
		above = limit.String()
	}
	if above == m.lane.told.above {
		return
	}
	m.lane.told.above = above
	key := health.Key{Code: fault.GasPriceAboveMax}
	if above == "" {
		m.opt.Health.Clear(key)
		return
	}
	m.opt.Health.Set(key, fmt.Sprintf("the base fee was %s wei when transactions began to wait, -maxGasPrice is %s wei", head.BaseFee, limit))
}

// weighFront tells of a transaction that all replacements did not get mined, or
// that may not be replaced at the price it needs. A base fee above the bound
// explains it and is told of elsewhere.
func (m *Manager) weighFront() {
	stuck := ""
	if f := m.lane.front(); f != nil && m.lane.told.above == "" && (m.exhausted(f) || m.patienceOver(f) && (f.cancelling() || f.pricedOut)) {
		stuck = fmt.Sprintf("%s with nonce %d", f.rec.Call.Verb, f.rec.Nonce)
	}
	if stuck == m.lane.told.stuck {
		return
	}
	m.lane.told.stuck = stuck
	key := health.Key{Code: fault.TxStuck}
	if stuck == "" {
		m.opt.Health.Clear(key)
		return
	}
	m.opt.Health.Set(key, stuck)
}

// forgetForeign ends the trouble of a shared key when nothing of it was seen for
// long.
func (m *Manager) forgetForeign() {
	if at := m.lane.told.foreignAt; !at.IsZero() && m.opt.Now().Sub(at) >= foreignFor {
		m.lane.told.foreignAt = time.Time{}
		m.opt.Health.Clear(foreignKey(m))
	}
}
