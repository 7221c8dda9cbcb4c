package txmgr

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// unnamedFor is how long block 0 is asked for where other blocks can be read. Some
// endpoints refuse the oldest blocks in ways that nobody has told us of.
const unnamedFor = time.Minute

// identify makes sure that the records are those of the chain that the endpoints
// have. A test chain that was started anew has the number of the one before, and
// what was done and signed for that one must neither count nor be sent. Until it
// is known nothing is taken up or sent.
func (m *Manager) identify(ctx context.Context) bool {
	if m.lane.identified {
		return true
	}
	if err := m.name(ctx); err != nil {
		m.lane.due(m.opt.Now().Add(retryAfter))
		m.turnAway(err)
		return false
	}
	m.lane.identified = true
	return true
}

// name compares block 0 with the journal's. The error says that it must be tried
// again.
func (m *Manager) name(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, m.opt.CallTimeout)
	defer cancel()
	genesis, err := m.opt.Backend.Genesis(limited)
	if err != nil && !m.nameless(ctx, err) {
		return err
	}
	if err != nil {
		m.opt.Log.Debug("block 0 cannot be read, so that the journal is not compared with the chain", "err", err)
		return nil
	}
	changed, err := m.opt.Journal.Adopt(limited, genesis)
	m.opt.Health.Report(health.Key{Code: fault.TxJournalFailed}, err)
	if err != nil {
		return err
	}
	if changed {
		m.opt.Log.Warn("the chain is another one than before, with the same number: transactions of the one before are set aside",
			"count", len(m.lane.flights)+len(m.lane.history), "remedy", "none needed after a test chain was started anew")
	}
	return m.reload(ctx, changed)
}

// reload takes up the records of the other chain, if need be at a second try.
func (m *Manager) reload(ctx context.Context, changed bool) error {
	l := &m.lane
	if l.outdated = l.outdated || changed; !l.outdated {
		return nil
	}
	l.flights, l.history, l.lastID, l.nextNonce = nil, nil, 0, 0
	if err := m.resume(ctx); err != nil {
		return err
	}
	l.outdated = false
	return nil
}

// nameless reports whether an error of Genesis means that no endpoint will ever
// show block 0.
func (m *Manager) nameless(ctx context.Context, err error) bool {
	answer, isAnswer := errors.AsType[interface {
		error
		ErrorCode() int
	}](err)
	code := fault.CodeOf(err)
	if isAnswer && answer != nil || code == fault.RPCBlockUnknown || code == fault.RPCMethodMissing {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, m.opt.CallTimeout)
	defer cancel()
	if _, err := m.opt.Backend.Head(ctx); err != nil {
		m.lane.unnamedSince = time.Time{}
		return false
	}
	now := m.opt.Now()
	if m.lane.unnamedSince.IsZero() {
		m.lane.unnamedSince = now
	}
	return now.Sub(m.lane.unnamedSince) >= unnamedFor
}

// turnAway answers those who only ask for a Once text, with why nobody can tell.
// What is to be sent waits.
func (m *Manager) turnAway(err error) {
	m.lane.queue = slices.DeleteFunc(m.lane.queue, func(r *request) bool {
		if r.gas == 0 && r.heirOf == nil {
			r.reply(reply{err: err})
			return true
		}
		return r.gone()
	})
}
