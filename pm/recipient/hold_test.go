package recipient_test

import (
	"slices"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/recipient"
)

// tickets is how many pixels at 1200 wei so many tickets of 8 gwei pay, rounded down.
func tickets(n int64) int64 { return n * 8_000_000_000 / 1200 }

// TestBalanceRule: a job begins while what is not reserved covers its estimate, and is
// at least a ticket.
func TestBalanceRule(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	s := n.session(n.gateway(1), "s")
	broke := func() {
		t.Helper()
		n.refuse(s.job(0, 1), fault.InsufficientBalance, "Insufficient balance")
	}
	broke()
	n.refuse(s.job(1, tickets(5)), fault.InsufficientBalance, "") // one ticket buys no work of five
	a := n.admit(s.job(0, tickets(1)))
	broke()
	a.Release()
	a.Release()
	b := n.admit(s.job(0, tickets(1)/2))
	broke() // half a ticket is not reserved
	n.refuse(s.job(1, tickets(2)), fault.InsufficientBalance, "")
	c := n.admit(s.job(1, tickets(2)))
	broke()
	if err := c.Begin(); err != nil {
		t.Error(err)
	}
	b.Done(pm.Work{Units: tickets(7)}) // far more than it was estimated at
	if err := c.Begin(); fault.CodeOf(err) != fault.InsufficientBalance {
		t.Errorf("begun with %v", err)
	}
	c.Release()
	if got, _ := n.balance(s); got.Sign() >= 0 || got.Cmp(s.ev(4).Neg()) < 0 {
		t.Errorf("balance %v, want nearly 4 tickets less than nothing", got)
	}
	broke()
	// The debt is paid before anything else.
	n.refuse(s.job(4, 1), fault.InsufficientBalance, "")
	n.admit(s.job(1, 1)).Release()
	if snap := n.Snapshot(t.Context()).Accounts[0]; snap.InProgress.Sign() != 0 || snap.Jobs != 0 {
		t.Errorf("in hand: %+v", snap)
	}
}

func TestHostileNumbers(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	s := n.session(n.gateway(1), "s")
	h := n.admit(s.job(1, -1<<63))
	if snap := n.Snapshot(t.Context()).Accounts[0]; snap.InProgress.Sign() != 0 || snap.Jobs != 1 {
		t.Errorf("in hand: %+v", snap)
	}
	h.Done(pm.Work{Units: -5, Produced: -7})
	h.Produced(-1)
	n.refuse(s.job(0, 1<<62), fault.InsufficientBalance, "")
	n.admit(s.job(1, 1)).Release()
	if got, _ := n.balance(s); got.Cmp(s.ev(2)) != 0 {
		t.Errorf("balance %v", got)
	}
	if d := n.books.debits(); len(d) != 1 || d[0].Units != 0 || d[0].Produced != -1 {
		t.Errorf("bills %+v", d)
	}
}

func TestAIJob(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	s := n.session(n.gateway(1), llama.Manifest(), llama)
	h := n.admit(s.job(1, 256))
	h.Produced(1) // there is no work yet
	h.Done(pm.Work{Units: 256, Produced: -1, Worker: "runner"})
	h.Produced(100)
	h.Produced(200)
	d := n.books.debits()
	if len(d) != 2 || d[0].Pipeline != "llm" || d[0].Model != "llama" || d[0].Units != 256 || d[1].Units != 0 ||
		d[1].Produced != 100 || d[1].Worker != "runner" {
		t.Errorf("bills %+v", d)
	}
	if got, _ := n.balance(s); got.Cmp(s.ev(1).Sub(pm.WeiValue(core.NewWei(896)))) != 0 {
		t.Errorf("balance %v", got)
	}
	// Known at once, it is not told again.
	h = n.admit(s.job(1, 256))
	h.Done(pm.Work{Units: 256, Produced: 0})
	h.Produced(7)
	if d := n.books.debits(); len(d) != 3 || d[2].Produced != 0 {
		t.Errorf("bills %+v", d)
	}
}

func TestIdleAccountsAreClosed(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	g := n.gateway(1)
	idle, busy := n.session(g, "idle"), n.session(g, "busy")
	n.admit(idle.job(1, 1)).Done(pm.Work{Units: 1})
	h := n.admit(busy.job(1, 1))
	n.clock.Forward(10*time.Minute - 1)
	n.Sweep()
	if _, open := n.balance(idle); !open {
		t.Error("closed before 10 minutes were over")
	}
	n.clock.Forward(time.Hour)
	n.Sweep()
	if _, open := n.balance(idle); open {
		t.Error("still open")
	}
	// A job that takes long has its account.
	h.Done(pm.Work{Units: 1, Produced: -1})
	if got, _ := n.balance(busy); got.Cmp(busy.ev(1).Sub(pm.WeiValue(core.NewWei(1200)))) != 0 {
		t.Errorf("balance %v", got)
	}
	n.Sweep()
	n.clock.Forward(10 * time.Minute)
	n.Sweep()
	// What comes after the closing moves no money.
	h.Done(pm.Work{Units: 7})
	h.Release()
	h.Produced(5)
	if _, open := n.balance(busy); open {
		t.Error("opened again")
	}
	if len(n.books.balances) != 0 {
		t.Errorf("the books have %v", n.books.balances)
	}
	// The gateway begins again, with nothing.
	n.refuse(idle.job(0, 1), fault.InsufficientBalance, "")
	n.admit(idle.job(1, 1)).Release()
	if got, _ := n.balance(idle); got.Cmp(idle.ev(1)) != 0 {
		t.Errorf("balance %v", got)
	}
}

func TestRoom(t *testing.T) {
	t.Parallel()
	n := newNode(t, func(o *recipient.Options) {
		o.Limits = recipient.Limits{Accounts: 4, AccountsPerSender: 3, Sets: 6, SetsPerSender: 5}
	})
	a, b := n.gateway(1), n.gateway(2)
	for _, key := range []core.ManifestID{"1", "2", "3"} {
		n.admit(n.session(a, key).job(1, 1)).Release()
	}
	n.refuse(n.session(a, "4").job(1, 1), fault.AccountsFull, "")
	n.admit(n.session(b, "1").job(1, 1)).Release()
	n.refuse(n.session(b, "2").job(1, 1), fault.AccountsFull, "")
	s := n.session(a, "1")
	n.admit(s.job(1, 1)).Release() // what is open goes on
	far := n.session(b, "1")
	n.admit(far.with(far.g.payment(far.terms, far.quote.Price, 5000), 1)).Release()
	n.refuse(n.session(b, "1").job(1, 1), fault.TicketSetsFull, "")
	n.refuse(n.session(a, "1").job(1, 1), fault.TicketSetsFull, "")
	n.admit(s.job(1, 1)).Release()
	n.clock.Forward(time.Hour)
	n.chain.view.Head.L1 += 40
	n.Sweep()
	snap := n.Snapshot(t.Context())
	if len(snap.Accounts)+snap.Sets+len(snap.Senders) != 0 {
		t.Errorf("left over: %+v", snap)
	}
	n.admit(n.session(a, "4").job(1, 1)).Release()
	n.admit(n.session(b, "4").job(1, 1)).Release()
}

func TestFarNoncesTakeTheSendersRoom(t *testing.T) {
	t.Parallel()
	n := newNode(t, func(o *recipient.Options) { o.Limits.SetsPerSender = 8 })
	s := n.session(n.gateway(1), "s")
	n.admit(s.with(s.g.payment(s.terms, s.quote.Price, 1, 2, 1023), 1)).Release()
	n.admit(s.with(s.g.payment(s.terms, s.quote.Price, 3, 1024, 2048, 4096, 8192, 16384, 32768, 65536), 1)).Release()
	n.refuse(s.with(s.g.payment(s.terms, s.quote.Price, 4), 1), fault.TicketSetsFull, "")
	n.admit(n.session(n.gateway(2), "s").job(1, 1)).Release()
}

func TestSnapshot(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	a, b := n.session(n.gateway(1), "x"), n.session(n.gateway(2), "y")
	h := n.admit(a.job(2, 100))
	defer h.Release()
	n.admit(b.job(1, 1)).Release()
	n.chain.fund(b.g.addr, core.Wei{}, core.Wei{})
	snap := n.Snapshot(t.Context())
	if snap.Sets != 2 || len(snap.Accounts) != 2 || len(snap.Senders) != 2 {
		t.Fatalf("%+v", snap)
	}
	for _, s := range snap.Senders {
		switch {
		case s.Accounts != 1:
			t.Errorf("%+v", s)
		case s.Sender == a.g.addr && (s.Problem != "" || s.MaxFloat.Cmp(ether(10)) != 0 ||
			s.FaceValue.String() != "12000000000000000" || s.Funds.Deposit.Cmp(ether(10)) != 0):
			t.Errorf("%+v", s)
		case s.Sender == b.g.addr && (s.Problem != fault.InsufficientSenderReserve || !s.FaceValue.IsZero()):
			t.Errorf("%+v", s)
		}
	}
	for _, acc := range snap.Accounts {
		if acc.Account.Key == "x" && (acc.Jobs != 1 || acc.InProgress.Cmp(pm.WeiValue(core.NewWei(120_000))) != 0 ||
			acc.Balance.Cmp(a.ev(2)) != 0) {
			t.Errorf("%+v", acc)
		}
	}
}

func TestOldRoundsAreRolledUp(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	to := func(round protocol.Round) {
		n.chain.view.Round.LastInitialized = round
		for range 3 {
			n.Sweep()
			n.clock.Forward(time.Hour)
		}
	}
	n.chain.view.Known = false
	to(3500)
	n.chain.view.Known = true
	to(3500)
	n.books.fail = errDown
	to(3501)
	n.books.fail = nil
	to(3501)
	to(3499)
	to(0)
	if !slices.Equal(n.books.archived, []protocol.Round{3499, 3500}) {
		t.Errorf("rolled up before %v", n.books.archived)
	}
}

// TestAFalseRoundRollsNothingUp: what the books put away is gone. A round that an endpoint reports for a while, and
// then nothing for hours, puts nothing away and does not keep later rounds from it.
func TestAFalseRoundRollsNothingUp(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	says := func(round protocol.Round, stale bool) {
		n.chain.change(func(v *protocol.View) { v.Round.LastInitialized, v.Stale = round, stale })
		n.Sweep()
		n.clock.Forward(20 * time.Minute)
	}
	says(9000, false) // the first that is heard at all
	says(3500, false)
	says(3500, false)
	says(9000, false)
	says(9000, false)
	for range 12 {
		says(9000, true)
	}
	says(3500, false)
	for range 6 {
		says(3501, false)
	}
	if want := []protocol.Round{3499, 3500}; !slices.Equal(n.books.archived, want) {
		t.Errorf("rolled up before %v, want %v", n.books.archived, want)
	}
}
