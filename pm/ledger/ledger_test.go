//go:build cgo

package ledger_test

import (
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

func balanceOf(o pm.Opening, owner pm.Account) (pm.Value, bool) {
	i := slices.IndexFunc(o.Balances, func(b pm.Balance) bool { return b.Account == owner })
	if i < 0 {
		return pm.Value{}, false
	}
	return o.Balances[i].Value, true
}

func TestACleanStopKeepsEverything(t *testing.T) {
	t.Parallel()
	dir, owner := t.TempDir(), account(0, "stream")
	b := open(t, dir)
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 0, 5, 4097)}}))
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 6)}}))
	b.Book(pm.Entries{Debits: []pm.Debit{debit(owner, 100)}})
	must(t, b.stop())
	again := open(t, dir)
	o := again.opening
	if !o.Clean || o.Token != b.opening.Token {
		t.Errorf("%+v", o)
	}
	// The file may be an older copy: nothing made under the secret in it is taken again.
	if o.Current.ID != 2 || o.Current.Secret == b.opening.Current.Secret || len(o.Retired) != 1 ||
		o.Retired[0] != b.opening.Current {
		t.Errorf("epochs %+v, retired %+v", o.Current, o.Retired)
	}
	if v, _ := balanceOf(o, owner); v.Cmp(pm.ValueOf(big.NewRat(4*ev*3-100, 3))) != 0 {
		t.Error(v)
	}
}

func TestACrashRotatesTheEpoch(t *testing.T) {
	t.Parallel()
	dir, owner := t.TempDir(), account(0, "stream")
	b := open(t, dir)
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 1)}}))
	// A second opening without the first having ended is what a crash looks like.
	again := open(t, dir)
	o := again.opening
	if o.Clean || o.Current.ID != b.opening.Current.ID+1 || o.Current.Secret == b.opening.Current.Secret {
		t.Errorf("%+v", o)
	}
	if len(o.Retired) != 1 || o.Retired[0] != b.opening.Current || o.Token != b.opening.Token {
		t.Errorf("%+v", o.Retired)
	}
	if v, ok := balanceOf(o, owner); !ok || v.Cmp(pm.ValueOf(big.NewRat(ev, 1))) != 0 {
		t.Error(v)
	}
	// The first notices that it is not alone, and stops for good, whatever it writes.
	must(t, again.Append(t.Context(), pm.Entries{Winners: []pm.Winner{winner(owner, 5, 1)}}))
	if !onPostgres() { // whose lock went to the second with its connection
		want(t, b.Progress(t.Context(), pm.Progress{Hash: winner(owner, 5, 1).Hash, State: pm.TicketQueued, At: start}),
			fault.LedgerFailed)
		want(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 2)}}), fault.LedgerFailed)
		want(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 2)}}), fault.LedgerFailed)
		want(t, b.stop(), fault.LedgerFailed)
	}
	must(t, again.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 1, 2)}}))
	repairHeight(t, again.Reader)
}

func TestARefusalHarmsNobodyElse(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir())
	owner := account(0, "stream")
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 1, 2)}}))
	other := credit(owner, 0, 9)
	other.ExpirationBlock++
	// They may come into one group or several: the answers are the same.
	bad := []pm.Entries{
		{Credits: []pm.Credit{credit(owner, 0, 2)}},
		{Credits: []pm.Credit{credit(owner, 1, 1), credit(owner, 0, 3, 1)}},
		{Credits: []pm.Credit{other}},
		{Credits: []pm.Credit{credit(owner, 0, 4, 4)}},
		{Credits: []pm.Credit{credit(owner, 0, 4), credit(owner, 0, 4)}},
		{Credits: []pm.Credit{credit(owner, 0)}},
		{Credits: []pm.Credit{credit(owner, 0, 4)}, Debits: []pm.Debit{debit(owner, -1)}},
	}
	answers := make(chan error)
	for _, e := range bad {
		go func() { answers <- b.Append(t.Context(), e) }()
	}
	for range bad {
		want(t, <-answers, fault.LedgerRefused)
	}
	// Nothing of what was refused is there.
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 1, 1), credit(owner, 0, 3, 4, 9)}}))
	if r := repairHeight(t, b.Reader); r.Tickets != 6 || r.Sets != 2 {
		t.Errorf("%+v", r)
	}
}

func TestWinnersAndTheirProgress(t *testing.T) {
	t.Parallel()
	dir, owner := t.TempDir(), account(0, "stream")
	b := open(t, dir)
	c := credit(owner, 0, 1, 2)
	w := winner(owner, 0, 2)
	early := winner(owner, 0, 3)
	early.Credited = false
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{c}, Winners: []pm.Winner{w, early}}))
	must(t, b.Append(t.Context(), pm.Entries{Credits: []pm.Credit{credit(owner, 0, 3)},
		Winners: []pm.Winner{winner(owner, 0, 3)}}))
	for i, state := range []pm.TicketState{pm.TicketQueued, pm.TicketSubmitted, pm.TicketSubmitted, pm.TicketMined,
		pm.TicketQueued, pm.TicketSubmitted, pm.TicketMined, pm.TicketFinal} {
		p := pm.Progress{Hash: w.Hash, State: state, Reason: "step", At: start.Add(time.Duration(i+1) * time.Second)}
		if state == pm.TicketSubmitted {
			p.Tx[0] = byte(i)
		}
		if state == pm.TicketFinal {
			p.Paid, p.GasFee = c.FaceValue, c.FaceValue
		}
		must(t, b.Progress(t.Context(), p))
		must(t, b.Progress(t.Context(), p)) // twice is nothing
	}
	want(t, b.Progress(t.Context(), pm.Progress{Hash: w.Hash, State: pm.TicketQueued, At: start}), fault.LedgerRefused)
	want(t, b.Progress(t.Context(), pm.Progress{Hash: c.RandHash, State: pm.TicketQueued, At: start}), fault.LedgerRefused)
	want(t, b.Progress(t.Context(), pm.Progress{Hash: w.Hash, State: "lost", At: start}), fault.LedgerRefused)
	must(t, b.stop())
	b = open(t, dir)
	got, err := b.Winners(t.Context(), ledger.Filter{States: []pm.TicketState{pm.TicketFinal, pm.TicketFailed},
		Sender: owner.Sender, Recipient: w.Ticket.Recipient, Hash: w.Hash, Limit: 5, Before: start.Add(1)})
	must(t, err)
	if len(got) != 1 || got[0].Ticket != w.Ticket && got[0].Ticket.SenderNonce != 2 || got[0].Attempts != 3 ||
		got[0].Paid.Cmp(c.FaceValue) != 0 || !got[0].Since.Equal(start.Add(8*time.Second)) {
		t.Errorf("%+v", got)
	}
	history, err := b.History(t.Context(), w.Hash)
	must(t, err)
	if len(history) != 9 || history[0].State != pm.TicketWon || history[8].State != pm.TicketFinal {
		t.Errorf("%+v", history)
	}
	all, err := b.Winners(t.Context(), ledger.Filter{})
	must(t, err)
	repairHeight(t, b.Reader)
	counts, err := b.Counts(t.Context())
	must(t, err)
	if len(all) != 2 || !all[0].Credited || !all[1].Credited || counts[pm.TicketWon] != 1 || counts[pm.TicketFinal] != 1 {
		t.Errorf("%+v %v", all, counts)
	}
}
