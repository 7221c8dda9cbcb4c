package redeemer_test

import (
	"context"
	"crypto/ecdsa"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/redeemer"
	"github.com/tuttinode/tutti/test/coretest"
)

var me = core.Address{1}

// tester is what testing.T and rapid.T have in common here.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// rig is a redeemer on the chain of coretest, in a time of its own.
type rig struct {
	tester
	*redeemer.Redeemer
	chain *coretest.Chain
	books *books
	board *health.Board
	opt   redeemer.Options
	stop  func()
	nonce uint64
	runs  sync.WaitGroup
	// drawn: a sender's funds may have become less by what others did, or were read
	// from a block that was undone, or what we drew ourselves could not be written.
	drawn bool

	mu      sync.Mutex
	changed []pm.Winner // guarded by mu
}

// run gives f a rig whose recipient is active, in a bubble of synctest.
func run(t *testing.T, f func(*rig), with ...func(*redeemer.Options)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, with...)
		defer func() { r.stop() }()
		f(r)
		r.stop()
		for _, wrong := range r.books.wrong {
			t.Error(wrong)
		}
	})
}

func newRig(t tester, with ...func(*redeemer.Options)) *rig {
	r := &rig{tester: t, chain: coretest.NewChain(me, core.Address{}), books: newBooks()}
	r.chain.Activate(me, core.LPTTokens(10), "https://me:8935")
	r.board = health.New(slog.New(slog.DiscardHandler), time.Now, nil)
	r.opt = redeemer.Options{
		Ledger: r.books, Chain: r.chain, Actor: r.chain, Recipient: me, Board: r.board, Now: time.Now,
		Confirmations: 3, Changed: r.recordChange,
	}
	for _, f := range with {
		f(&r.opt)
	}
	r.start()
	return r
}

func (r *rig) recordChange(w pm.Winner) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changed = append(r.changed, w)
}

// start runs a new redeemer on the same chain and the same books.
func (r *rig) start() {
	r.Redeemer = redeemer.New(r.opt)
	ctx, cancel := context.WithCancel(context.Background())
	one := r.Redeemer
	r.runs.Go(func() { _ = one.Run(ctx, func() {}) })
	r.stop = func() {
		cancel()
		r.runs.Wait()
	}
	pass(0)
}

func (r *rig) restart() {
	r.stop()
	r.start()
}

// pass lets time go by and everything come to rest.
func pass(d time.Duration) {
	timer := time.NewTimer(d)
	<-timer.C
	synctest.Wait()
}

// blocks makes so many blocks, one a second, and layer-1 blocks with them.
func (r *rig) blocks(n int, l1 protocol.L1Block) {
	for range n {
		r.chain.Mine(1, l1)
		pass(time.Second)
	}
}

// settle gives everything the time it needs, while blocks come and none of layer 1.
func (r *rig) settle() { r.blocks(60, 0) }

// key is a gateway's.
func key(n byte) *ecdsa.PrivateKey {
	k, err := crypto.ToECDSA([]byte(strings.Repeat("k", 31) + string('a'+rune(n))))
	if err != nil {
		panic(err)
	}
	return k
}

func ether(s string) core.Wei {
	w, err := core.ParseEther(s)
	if err != nil {
		panic(err)
	}
	return w
}

func (r *rig) fund(n byte, deposit, reserve string) {
	r.chain.SetSender(coretest.AddressOf(key(n)), protocol.Sender{Deposit: ether(deposit),
		Reserve: protocol.Reserve{FundsRemaining: ether(reserve)}})
}

// ticket makes a winner of the present round, which may be redeemed in so many
// layer-1 blocks.
func (r *rig) ticket(n byte, value string, expires protocol.L1Block) pm.Winner {
	r.nonce++
	v := r.chain.View()
	t := coretest.Ticket(key(n), me, ether(value), r.nonce, v.Round)
	return winner(t, v.Head.L1+expires-redeemer.Margin)
}

func winner(t protocol.WinningTicket, expires protocol.L1Block) pm.Winner {
	return pm.Winner{Hash: t.Hash(), Ticket: t, Account: pm.Account{Sender: t.Sender}, ExpirationBlock: expires,
		Credited: true, Won: time.Now(), State: pm.TicketWon}
}

// win books a winner and hands it in.
func (r *rig) win(w pm.Winner) protocol.Hash {
	r.Helper()
	if err := r.books.Append(context.Background(), pm.Entries{Winners: []pm.Winner{w}}); err != nil {
		r.Fatalf("%v", err)
	}
	r.Won(w)
	pass(time.Second)
	return w.Hash
}

// is checks a ticket's state and what was paid for it.
func (r *rig) is(h protocol.Hash, state pm.TicketState, paid string) pm.Winner {
	r.Helper()
	w := r.books.winner(h)
	if w.State != state || w.Paid.Cmp(ether(paid)) != 0 {
		r.Errorf("the ticket is %s and brought %s (%s), want %s and %s; it went %v", w.State, w.Paid.Ether(), w.Reason,
			state, paid, r.books.states(h))
	}
	return w
}

// sent counts how often a ticket was handed to the chain.
func (r *rig) sent(h protocol.Hash) (n int) {
	for _, a := range r.chain.Sent() {
		for _, t := range ticketsOf(a) {
			if t.Hash() == h {
				n++
			}
		}
	}
	return n
}

// ticketsOf are the tickets that an action redeems.
func ticketsOf(a protocol.Action) []protocol.WinningTicket {
	switch a := a.(type) {
	case protocol.RedeemTicket:
		return []protocol.WinningTicket{a.Ticket}
	case protocol.RedeemTickets:
		return a.Tickets
	}
	return nil
}

// condition is a condition's detail, "" when it is not set.
func (r *rig) condition(code fault.Code) string {
	for _, c := range r.board.Snapshot() {
		if c.Code == code {
			return c.Detail
		}
	}
	return ""
}
