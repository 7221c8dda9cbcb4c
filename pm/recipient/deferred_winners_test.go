package recipient_test

import (
	"context"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/recipient"
)

// fullBooks have no room for what somebody waits for until there is room, and keep the
// rest until then.
type fullBooks struct {
	*books
	mu   sync.Mutex
	full bool
	kept []pm.Entries
}

func (b *fullBooks) Append(ctx context.Context, e pm.Entries) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.full {
		return fault.New(fault.LedgerFull, "", "")
	}
	return b.books.Append(ctx, e)
}

func (b *fullBooks) Book(e pm.Entries) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.full {
		b.kept = append(b.kept, e)
		return
	}
	b.books.Book(e)
}

func (b *fullBooks) setFull(full bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.full = full
	if !full {
		for _, e := range b.kept {
			b.books.Book(e)
		}
		b.kept = nil
	}
}

// What wins while the disk is full is money all the same. It is reported when it is on
// disk, and sent twice it takes no more room.
func TestWinnersWhileTheDiskIsFull(t *testing.T) {
	t.Parallel()
	full := &fullBooks{}
	n := newNode(t, often, func(o *recipient.Options) {
		full.books = o.Ledger.(*books)
		o.Ledger = full
	})
	s := n.session(n.gateway(1), "s")
	full.setFull(true)
	job := s.job(40, 1)
	for range 3 {
		n.refuse(job, fault.LedgerFull, "")
	}
	n.Sweep()
	if len(full.kept) != 1 || len(full.kept[0].Winners) < 4 || len(full.kept[0].Credits) != 0 || len(n.won) != 0 {
		t.Fatalf("kept %+v, reported %d", full.kept, len(n.won))
	}
	for _, w := range full.kept[0].Winners {
		if w.Credited {
			t.Error("credited without a credit")
		}
	}
	want := len(full.kept[0].Winners)
	full.setFull(false)
	n.Sweep()
	n.Sweep()
	if len(n.won) != want || len(n.books.winners) != want {
		t.Errorf("reported %d, the books have %d, want %d", len(n.won), len(n.books.winners), want)
	}
	// The payment itself may come again.
	n.admit(job).Release()
	if len(n.won) != want {
		t.Errorf("reported %d after all", len(n.won))
	}
}

// Winners of a gateway whose funds cannot be read are kept.
func TestWinnersOfUnknownFunds(t *testing.T) {
	t.Parallel()
	n := newNode(t, often)
	s := n.session(n.gateway(1), "s")
	n.chain.err = errDown
	n.refuse(s.job(40, 1), fault.SenderFundsUnknown, "")
	if _, open := n.balance(s); open || len(n.won) < 4 || len(n.books.winners) != len(n.won) {
		t.Errorf("reported %d winners, the books have %d; open: %v", len(n.won), len(n.books.winners), open)
	}
	for _, w := range n.books.winners {
		if w.Credited {
			t.Error("credited")
		}
	}
}

// A gateway whose winners will take all of its funds makes no more promises.
func TestPromisesAreCoveredByFunds(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var pending core.Wei
	n := newNode(t, often, func(o *recipient.Options) {
		o.Pending = func(core.Address) core.Wei {
			mu.Lock()
			defer mu.Unlock()
			return pending
		}
	})
	s := n.session(n.gateway(1), "s") // ten of each
	n.admit(s.job(1, 1)).Release()
	set := func(w core.Wei) {
		mu.Lock()
		defer mu.Unlock()
		pending = w
	}
	set(ether(20).Sub(gwei(10_000_000)))
	n.refuse(s.job(3, 1), fault.InsufficientSenderReserve, "insufficient sender reserve") // 0.012 ETH
	n.admit(s.job(1, 1)).Release()
	set(ether(20))
	before := len(n.won)
	n.refuse(s.job(40, 1), fault.InsufficientSenderReserve, "insufficient sender reserve")
	if len(n.won) == before {
		t.Error("winners were lost")
	}
	if _, err := n.Terms(t.Context(), &s.quote); fault.CodeOf(err) != fault.InsufficientSenderReserve {
		t.Errorf("parameters: %v", err)
	}
	n.admit(s.job(0, 1)).Release() // what is paid is paid
	set(core.Wei{})
	n.admit(s.job(1, 1)).Release()
}

// events are a chain that tells of its heads.
type events struct {
	*chain
	mu sync.Mutex
	to map[int]func(protocol.Event)
}

func (e *events) Subscribe(f func(protocol.Event)) func() {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := len(e.to)
	e.to[n] = f
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.to, n)
	}
}

func (e *events) head(l1 protocol.L1Block) {
	e.change(func(v *protocol.View) { v.Head.L1 = l1 })
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, f := range e.to {
		f(protocol.HeadSeen{Head: protocol.Head{L1: l1}})
	}
}

// A head in which parameters expire is enough, though it is undone and nobody paid in
// it; and the last height is in the books when the process ends.
func TestExpiredByAHead(t *testing.T) {
	t.Parallel()
	e := &events{to: make(map[int]func(protocol.Event))}
	n := newNode(t, func(o *recipient.Options) {
		e.chain = o.Chain.(*chain)
		o.Chain = e
	})
	s, later := n.session(n.gateway(1), "s"), *n.session(n.gateway(1), "later")
	expires := s.terms.ExpirationBlock
	ctx, cancel := context.WithCancel(t.Context())
	ready, done := make(chan struct{}), make(chan error)
	go func() { done <- n.Run(ctx, func() { close(ready) }) }()
	<-ready
	e.head(expires - 1)
	n.admit(s.job(1, 1)).Release()
	e.head(expires)
	if n.books.height() != expires {
		t.Errorf("the books were notified of %d, want %d", n.books.height(), expires)
	}
	e.head(expires - 3)
	n.refuse(later.job(1, 1), fault.TicketParamsStale, "")
	n.Reached(expires + 1)
	n.chain.change(func(v *protocol.View) { v.Head.L1 = expires + 2 })
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if n.books.height() != expires+2 || len(e.to) != 0 {
		t.Errorf("at the end the books know %d, and %d still listen", n.books.height(), len(e.to))
	}
}
