package txmgr

import (
	"context"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
)

// reportedConditions is what was last reported to the health board, so that it gets changes only.
type reportedConditions struct {
	above     string // the bound that the price is above, "" when it is not
	stuck     string
	foreignAt time.Time
}

// foreignFor is how long a foreign transaction stays a condition after it was last seen.
const foreignFor = 24 * time.Hour

// updateConditions sets and clears the conditions.
func (m *Manager) updateConditions(ctx context.Context, head protocol.Head) {
	m.recheckBalance(ctx, head)
	m.updatePriceCondition(head)
	m.updateStuckCondition()
	m.expireForeign()
}

// updateIdleConditions is updateConditions when nothing is pending.
func (m *Manager) updateIdleConditions() {
	m.updatePriceCondition(protocol.Head{})
	m.updateStuckCondition()
	m.expireForeign()
}

// updatePriceCondition reports a base fee that holds transactions back.
func (m *Manager) updatePriceCondition(head protocol.Head) {
	above, limit := "", m.bounds().max
	if !limit.IsZero() && head.BaseFee.Cmp(limit) > 0 && (m.nonces.front() != nil || len(m.nonces.requests) > 0) {
		above = limit.String()
	}
	if above == m.nonces.reported.above {
		return
	}
	m.nonces.reported.above = above
	key := health.Key{Code: fault.GasPriceAboveMax}
	if above == "" {
		m.opt.Health.Clear(key)
		return
	}
	m.opt.Health.Set(key, fmt.Sprintf("the base fee was %s wei when transactions began to wait, -maxGasPrice is %s wei",
		head.BaseFee, limit))
}

// updateStuckCondition reports a transaction that was not mined after all replacements, or that may not be
// replaced at the price it needs. A base fee above the bound explains it and has its own condition.
func (m *Manager) updateStuckCondition() {
	stuck := ""
	if f := m.nonces.front(); f != nil && m.nonces.reported.above == "" &&
		(m.exhausted(f) || m.timedOut(f) && (f.canceling() || f.pricedOut)) {
		stuck = fmt.Sprintf("%s with nonce %d", f.rec.Call.Verb, f.rec.Nonce)
	}
	if stuck == m.nonces.reported.stuck {
		return
	}
	m.nonces.reported.stuck = stuck
	key := health.Key{Code: fault.TxStuck}
	if stuck == "" {
		m.opt.Health.Clear(key)
		return
	}
	m.opt.Health.Set(key, stuck)
}

// expireForeign clears the condition of a shared key when no foreign transaction was seen for long.
func (m *Manager) expireForeign() {
	if at := m.nonces.reported.foreignAt; !at.IsZero() && m.opt.Now().Sub(at) >= foreignFor {
		m.nonces.reported.foreignAt = time.Time{}
		m.opt.Health.Clear(foreignKey(m))
	}
}
