package payments

import (
	"bufio"
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/big"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	_ "github.com/mattn/go-sqlite3" // the database of the nodes

	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
	"github.com/tuttinode/tutti/pm/paymentlog"
)

// books are what all parties wrote down, read when their processes have ended.
type books struct {
	// paid and taken are the nonces of each set: those that a gateway sent, and those
	// that an orchestrator credited. answered are those of jobs that were served.
	paid, answered, taken map[protocol.Hash][]uint32
	// ev is what one ticket of a set is worth, as each side says.
	paidEV, takenEV map[protocol.Hash]pm.Value
	// billed and spent are sums over all work, by orchestrator and by gateway.
	received, sent, confirmed pm.Value
	billedBy, billedTo        pm.Value
	states                    map[paymentlog.State]int
	winners                   []pm.Winner
}

func newBooks() *books {
	return &books{
		paid: map[protocol.Hash][]uint32{}, answered: map[protocol.Hash][]uint32{}, taken: map[protocol.Hash][]uint32{},
		paidEV: map[protocol.Hash]pm.Value{}, takenEV: map[protocol.Hash]pm.Value{}, states: map[paymentlog.State]int{},
	}
}

func (w *world) books() *books {
	w.Helper()
	b := newBooks()
	for _, g := range w.gateways {
		w.readSpent(b, g)
	}
	for _, o := range w.orchestrators {
		w.readLedger(b, o)
	}
	return b
}

func (w *world) open(p *party) *sql.DB {
	w.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(p.dir, database.FileName)+"?_journal_mode=WAL&_txlock=immediate")
	w.must(err)
	db.SetMaxOpenConns(1)
	w.Cleanup(func() { _ = db.Close() })
	return db
}

func (w *world) readSpent(b *books, g *party) {
	w.Helper()
	store, _, err := paymentlog.Open(w.Context(), paymentlog.Options{DB: w.open(g), Sender: g.account})
	w.must(err)
	report, err := store.Verify(w.Context())
	w.must(err)
	for _, problem := range report.Problems {
		w.Errorf("the account of %s: %s", g.name, problem)
	}
	w.must(store.Each(w.Context(), func(p *paymentlog.Payment) error {
		b.states[p.State]++
		b.billedTo = b.billedTo.Add(p.Billed())
		if p.Tickets() == 0 || p.State == paymentlog.Unsent {
			return nil
		}
		params := pm.Params{FaceValue: p.FaceValue, WinProb: p.WinProb}
		b.paidEV[p.RandHash] = params.EV()
		b.sent = b.sent.Add(p.Value())
		for n := p.First; n <= p.Last; n++ {
			b.paid[p.RandHash] = append(b.paid[p.RandHash], n)
			if p.State == paymentlog.Answered {
				b.answered[p.RandHash] = append(b.answered[p.RandHash], n)
			}
		}
		if p.State == paymentlog.Answered {
			b.confirmed = b.confirmed.Add(p.Value())
		}
		return nil
	}))
	w.must(store.Close())
}

// entry is a line of a ledger's export.
type entry struct {
	Kind, Amount, Set, FaceValue, WinProb, Nonces string
}

func (w *world) readLedger(b *books, o *party) {
	w.Helper()
	reader, err := ledger.NewReader(w.Context(), w.open(o))
	w.must(err)
	w.readBook(b, reader)
}

func (w *world) readBook(b *books, reader *ledger.Reader) {
	w.Helper()
	var text bytes.Buffer
	w.must(reader.Export(w.Context(), &text, ledger.JSON))
	lines := bufio.NewScanner(&text)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e entry
		w.must(json.Unmarshal(lines.Bytes(), &e))
		amount, ok := new(big.Rat).SetString(e.Amount)
		if !ok {
			w.Fatalf("amount %q", e.Amount)
		}
		switch e.Kind {
		case "credit":
			b.received = b.received.Add(pm.ValueOf(amount))
			w.credit(b, &e, amount)
		case "debit":
			b.billedBy = b.billedBy.Add(pm.ValueOf(amount))
		}
	}
	w.must(lines.Err())
	winners, err := reader.Winners(w.Context(), ledger.Filter{})
	w.must(err)
	b.winners = append(b.winners, winners...)
}

func (w *world) credit(b *books, e *entry, amount *big.Rat) {
	w.Helper()
	var set protocol.Hash
	w.must(set.UnmarshalText([]byte(e.Set)))
	words := strings.Fields(e.Nonces)
	for _, word := range words {
		n, err := strconv.ParseUint(word, 10, 32)
		w.must(err)
		b.taken[set] = append(b.taken[set], uint32(n))
	}
	b.takenEV[set] = pm.ValueOf(new(big.Rat).Quo(amount, new(big.Rat).SetInt64(int64(len(words)))))
}

// agree holds both sides against one another: every ticket that an orchestrator
// credited is one that a gateway sent, at the same value, once; every ticket of a
// job that was served is credited; and what is on one side only is a ticket of a job
// that failed.
func (w *world) agree(b *books) (open int) {
	w.Helper()
	for set, nonces := range b.taken {
		if !b.takenEV[set].Equal(b.paidEV[set]) {
			w.Errorf("a ticket of set %s is worth %s to its receiver and %s to its sender", set, b.takenEV[set], b.paidEV[set])
		}
		slices.Sort(nonces)
		if len(slices.Compact(slices.Clone(nonces))) != len(nonces) {
			w.Errorf("a ticket of set %s was credited twice", set)
		}
		for _, n := range nonces {
			if !slices.Contains(b.paid[set], n) {
				w.Errorf("ticket %d of set %s was credited and never paid", n, set)
			}
		}
	}
	missing := pm.Value{}
	for set, nonces := range b.paid {
		for _, n := range nonces {
			switch credited := slices.Contains(b.taken[set], n); {
			case credited:
			case slices.Contains(b.answered[set], n):
				w.Errorf("ticket %d of set %s paid for work that was done, and was not credited", n, set)
			default:
				open++
				missing = missing.Add(b.paidEV[set])
			}
		}
	}
	if got := b.received.Add(missing); !got.Equal(b.sent) {
		w.Errorf("the gateways sent %s wei, the orchestrators have %s and %s are with jobs that failed", b.sent, b.received,
			missing)
	}
	return open
}

// explained says of each winner that it was redeemed, or why not.
func (w *world) explained(b *books) map[string]int {
	w.Helper()
	ends := map[string]int{}
	for _, t := range b.winners {
		ends[string(t.State)]++
		switch {
		case !t.State.Ended():
			w.Errorf("winner %s is %s (%s)", t.Hash, t.State, t.Reason)
		case t.State == pm.TicketFinal && t.Paid.IsZero():
			w.Errorf("winner %s is final and brought nothing (%s)", t.Hash, t.Reason)
		case t.State != pm.TicketFinal && t.Reason == "":
			w.Errorf("winner %s is %s without a reason", t.Hash, t.State)
		case t.State != pm.TicketFinal:
			w.Logf("winner %s is %s: %s\n%s%s", t.Hash, t.State, t.Reason, w.saidOf(t.Hash.String()),
				w.saidOf("tx="+t.Tx.String()))
		}
	}
	return ends
}

func (w *world) saidOf(word string) (text string) {
	for _, o := range w.orchestrators {
		text += o.said(word)
	}
	return text
}

func (b *books) String() string {
	return fmt.Sprintf("sent %s wei (%s of it for jobs that were served), received %s; billed by orchestrators %s, as "+
		"gateways see it %s; payments %v",
		b.sent, b.confirmed, b.received, b.billedBy, b.billedTo, b.states)
}
