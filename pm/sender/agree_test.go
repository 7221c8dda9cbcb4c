package sender_test

import (
	"context"
	"io"
	"log/slog"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/recipient"
	"github.com/tuttinode/tutti/pm/sender"
)

// entries are an orchestrator's ledger in memory, as far as jobs use it.
type entries struct {
	recipient.Ledger

	mu      sync.Mutex
	credits []pm.Credit
	debits  []pm.Debit
}

func (e *entries) Append(_ context.Context, in pm.Entries) error { e.Book(in); return nil }

func (e *entries) Book(in pm.Entries) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.credits = append(e.credits, in.Credits...)
	e.debits = append(e.debits, in.Debits...)
}

func (*entries) Expired(protocol.L1Block) {}

// pixelPrice is one price for everything.
type pixelPrice struct{}

func (pixelPrice) Transcoding(core.Address) *big.Rat                    { return big.NewRat(1200, 7) }
func (pixelPrice) Model(core.Address, inference.Model) (*big.Rat, bool) { return nil, false }
func (pixelPrice) Models() []inference.Model                            { return nil }
func (pixelPrice) AutoAdjust() bool                                     { return true }

// The two sides of paying, each as it is, with many jobs at once: nobody is refused,
// and at the end the gateway's book and the orchestrator's ledger agree to the wei.
func TestBothSidesAgreeToTheWei(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), nil)
	k.chain.change(func() {
		k.chain.view.Self.Active, k.chain.view.PoolSize = true, 1
		k.chain.view.Round.Initialized = true
	})
	ledger := new(entries)
	o, err := recipient.New(recipient.Options{
		Ledger: ledger, Opening: pm.Opening{Clean: true, Current: pm.Epoch{ID: 1, Secret: pm.Secret{1}}, Token: pm.Secret{2}},
		Prices: pixelPrice{}, Chain: k.chain, Recipient: orchestrator, TicketEV: core.NewWei(8_000_000_000),
		MinGasPrice: core.NewWei(1_000_000), RedeemGas: 1_200_000, Rand: rand.NewChaCha8([32]byte{4}), Now: k.clock.Now,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	quote, err := o.Quote(t.Context(), gateway, nil)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for stream := range 8 {
		wg.Go(func() {
			session := core.SessionID(rune('a' + stream))
			dice := rand.New(rand.NewPCG(1, uint64(stream)))
			for range 12 {
				params, err := o.Terms(t.Context(), &quote)
				if err != nil {
					t.Error(err)
					return
				}
				offer := sender.NewTerms(sender.Terms{
					Peer: "https://o", Address: orchestrator, Session: session, Key: core.ManifestID(session), Pipeline: "transcoding",
					Params: params, Price: quote.Price, Nonces: sender.OwnNonces,
				})
				var jobs sync.WaitGroup
				for range 3 { // segments of one stream at once, under the same parameters
					estimate := int64(dice.IntN(400_000_000))
					units := estimate - int64(dice.IntN(int(estimate)+1))/3
					jobs.Go(func() { segment(t, k, o, offer, quote, estimate, units) })
				}
				jobs.Wait()
			}
		})
	}
	wg.Wait()
	agree(t, k, ledger)
}

// segment pays for one, and has it done and billed.
func segment(t *testing.T, k *kit, o *recipient.Recipient, offer *sender.Terms, quote pm.Quote, estimate, units int64) {
	p, err := k.Pay(t.Context(), offer, estimate+estimate/50+1)
	if err != nil {
		t.Error(err)
		return
	}
	hold, err := o.Admit(t.Context(), &pm.Job{
		Account: pm.Account{Sender: gateway, Key: offer.Key}, Session: offer.Session, Quote: quote, Payment: p.Payment,
		Estimate: estimate,
	})
	if err == nil {
		err = hold.Begin()
	}
	if err != nil {
		t.Error(err)
		p.Settle(sender.Failed, 0)
		return
	}
	hold.Done(pm.Work{Units: units, Produced: -1})
	p.Settle(sender.Served, units)
}

// agree compares the books nonce by nonce, and their sums.
func agree(t *testing.T, k *kit, ledger *entries) {
	t.Helper()
	ledger.mu.Lock()
	defer ledger.mu.Unlock()
	credited, billed := pm.Value{}, pm.Value{}
	theirs := make(map[protocol.Hash]map[uint32]bool)
	for i := range ledger.credits {
		c := &ledger.credits[i]
		credited = credited.Add(c.Value())
		if theirs[c.RandHash] == nil {
			theirs[c.RandHash] = make(map[uint32]bool)
		}
		for _, n := range c.Nonces {
			theirs[c.RandHash][n] = true
		}
	}
	for i := range ledger.debits {
		billed = billed.Add(ledger.debits[i].Value())
	}
	sets, err := k.book.Sets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	paid := pm.Value{}
	for _, s := range sets {
		paid = paid.Add(s.Value)
		if len(s.Nonces) != len(theirs[s.RandHash]) || len(s.Open) != 0 {
			t.Errorf("set %s: %d nonces here, %d there, %d open", s.RandHash, len(s.Nonces), len(theirs[s.RandHash]),
				len(s.Open))
		}
	}
	held := pm.Value{}
	for _, b := range k.Balances() {
		held = held.Add(b.Value)
	}
	if len(sets) == 0 || paid.Cmp(credited) != 0 || held.Cmp(credited.Sub(billed)) != 0 {
		t.Errorf("%d sets: paid %s, credited %s, billed %s, held %s", len(sets), paid, credited, billed, held)
	}
}
