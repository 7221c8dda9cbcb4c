package txmgr

import (
	"context"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/core/protocol"
)

// Manager sends the transactions of one account. It is a lifecycle.Component, and answers only while Run
// runs; it is safe for concurrent use.
type Manager struct {
	opt  Options
	self core.Address
	// wake wakes Run; it holds at most one.
	wake chan struct{}
	// done is closed when Run has ended.
	done chan struct{}

	mu     sync.Mutex
	inbox  []*request    // guarded by mu; what Run has not seen
	asked  int           // guarded by mu; requests without an answer
	closed bool          // guarded by mu
	head   protocol.Head // guarded by mu; the newest block
	headAt time.Time     // guarded by mu; when head came
	// reorganized: blocks were undone since Run looked last. Guarded by mu.
	reorganized bool
	tip         core.Wei               // guarded by mu; the last suggestion
	prices      bounds                 // guarded by mu
	shown       []protocol.Transaction // guarded by mu; what Transactions answers

	// nonces belongs to Run's goroutine.
	nonces nonceQueue
}

var _ lifecycle.Component = (*Manager)(nil)

// New makes a Manager; it does nothing until Run.
func New(o Options) *Manager {
	o = o.withDefaults()
	return &Manager{
		opt: o, self: o.Signer.Address(), wake: make(chan struct{}, 1), done: make(chan struct{}),
		prices: bounds{min: o.MinGasPrice, max: o.MaxGasPrice},
	}
}

// Name returns the component's name.
func (m *Manager) Name() string { return "transactions" }

// account returns the sending account.
func (m *Manager) account() common.Address { return common.Address(m.self) }

// OnHead reports the newest block. It does not block.
func (m *Manager) OnHead(h protocol.Head) {
	m.mu.Lock()
	m.head, m.headAt = h, m.opt.Now()
	m.mu.Unlock()
	m.wakeRun()
}

// wakeRun wakes Run.
func (m *Manager) wakeRun() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// Run resumes the journal's transactions and works until ctx ends. Pending transactions then remain in the
// network, and are followed after the next start.
func (m *Manager) Run(ctx context.Context, ready func()) error {
	defer m.close()
	if err := m.resume(ctx); err != nil {
		return err
	}
	ready()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-m.wake:
		case <-timer.C:
		}
		m.pass(ctx)
		timer.Stop()
		if next := m.nonces.next; !next.IsZero() {
			timer.Reset(max(next.Sub(m.opt.Now()), 0))
		}
	}
}

// close answers the requests still waiting: the node stops.
func (m *Manager) close() {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	close(m.done)
}

// Transactions returns the last ones that ended and the pending ones, by ID.
func (m *Manager) Transactions() []protocol.Transaction {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]protocol.Transaction(nil), m.shown...)
}

// shownAs returns a transaction as last published.
func (m *Manager) shownAs(id uint64) protocol.Transaction {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range m.shown {
		if t.ID == id {
			return t
		}
	}
	return protocol.Transaction{}
}
