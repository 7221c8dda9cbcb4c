package txmgr

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// genesisRetryTime is how long block 0 is requested while other blocks can be read. Some endpoints refuse the
// oldest blocks with unknown errors.
const genesisRetryTime = time.Minute

// identify makes sure that the records belong to the chain of the endpoints. A restarted test chain has the
// number of the one before, and transactions of that one must neither count nor be sent. Until it is known,
// nothing is resumed or sent.
func (m *Manager) identify(ctx context.Context) bool {
	if m.nonces.identified {
		return true
	}
	if err := m.compareGenesis(ctx); err != nil {
		m.nonces.due(m.opt.Now().Add(retryAfter))
		m.rejectOnceQueries(err)
		return false
	}
	m.nonces.identified = true
	return true
}

// compareGenesis compares block 0 with the journal's. An error means that it must be tried again.
func (m *Manager) compareGenesis(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, m.opt.CallTimeout)
	defer cancel()
	genesis, err := m.opt.Backend.Genesis(limited)
	if err != nil && !m.genesisUnreadable(ctx, err) {
		return err
	}
	if err != nil {
		m.opt.Log.Debug("block 0 cannot be read, so that the journal is not compared with the chain", "err", err)
		return nil
	}
	changed, err := m.opt.Journal.SelectChain(limited, genesis)
	m.opt.Health.Report(health.Key{Code: fault.TxJournalFailed}, err)
	if err != nil {
		return err
	}
	if changed {
		m.opt.Log.Warn("different chain with the same number: transactions of the earlier chain are set aside",
			"count", len(m.nonces.pending)+len(m.nonces.history), "remedy", "none needed after a restart of a test chain")
	}
	return m.reload(ctx, changed)
}

// reload loads the records of the other chain; a failure is retried.
func (m *Manager) reload(ctx context.Context, changed bool) error {
	l := &m.nonces
	if l.outdated = l.outdated || changed; !l.outdated {
		return nil
	}
	l.pending, l.history, l.lastID, l.nextNonce = nil, nil, 0, 0
	if err := m.resume(ctx); err != nil {
		return err
	}
	l.outdated = false
	return nil
}

// genesisUnreadable reports whether an error of Genesis means that no endpoint will ever return block 0.
func (m *Manager) genesisUnreadable(ctx context.Context, err error) bool {
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
		m.nonces.genesisFailingSince = time.Time{}
		return false
	}
	now := m.opt.Now()
	if m.nonces.genesisFailingSince.IsZero() {
		m.nonces.genesisFailingSince = now
	}
	return now.Sub(m.nonces.genesisFailingSince) >= genesisRetryTime
}

// rejectOnceQueries answers the requests that only ask for a Once text with the reason that it is unknown.
// Requests to be sent wait.
func (m *Manager) rejectOnceQueries(err error) {
	m.nonces.requests = slices.DeleteFunc(m.nonces.requests, func(r *request) bool {
		if r.gas == 0 && r.resendOf == nil {
			r.reply(reply{err: err})
			return true
		}
		return r.callerGone()
	})
}
