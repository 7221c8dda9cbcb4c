package paymentlog_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/paymentlog"
)

func TestAPaymentIsKeptWithItsResult(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir, nil)
	p := payment(1, 1, 3)
	id := b.pay(t, p)
	b.Settle(id, answered(9))
	free := payment(1, 0, 0)
	free.Result = answered(4)
	b.Record(free)
	b.close()
	b = open(t, dir, nil)
	got := b.all(t)
	if len(got) != 2 {
		t.Fatalf("%+v", got)
	}
	want := *p
	want.ID, want.Result = id, answered(9)
	if g := got[0]; !g.At.Equal(want.At) || !g.Settled.Equal(want.Settled) || g.FaceValue.Cmp(want.FaceValue) != 0 {
		t.Errorf("%+v", g)
	}
	g := got[0]
	g.At, g.Settled, g.FaceValue = want.At, want.Settled, want.FaceValue
	if g.Recipient != want.Recipient || g.Peer != want.Peer || g.Account != want.Account || g.RandHash != want.RandHash ||
		g.First != 1 ||
		g.Last != 3 || g.WinProb != want.WinProb || g.ExpirationBlock != 99 || g.Price != want.Price || g.Estimate != 10 ||
		g.Result != want.Result {
		t.Errorf("%+v, want %+v", g, want)
	}
	if got[1].Tickets() != 0 || got[1].Units != 4 || got[1].Billed().String() != "9.333333" {
		t.Errorf("%+v", got[1])
	}
	if len(b.issued) != 1 || b.issued[0].Last != 3 || b.issued[0].RandHash != p.RandHash {
		t.Errorf("%+v", b.issued)
	}
}

func TestWhatWasOpenAtTheEndIsUnknown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir, nil)
	b.pay(t, payment(1, 1, 1))
	b.close()
	b = open(t, dir, nil)
	if got := b.all(t); len(got) != 1 || got[0].State != paymentlog.Unknown || got[0].Settled.IsZero() {
		t.Errorf("%+v", got)
	}
	if id := b.pay(t, payment(1, 2, 2)); id != 2 {
		t.Errorf("a number was used twice: %d", id)
	}
}

func TestAccountsAreApart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := open(t, dir, nil)
	b.pay(t, payment(1, 1, 1))
	b.close()
	b = open(t, dir, func(o *paymentlog.Options) { o.Sender = core.Address{9} })
	if got := b.all(t); len(got) != 0 || len(b.issued) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestManyPayAtOnce(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir(), nil)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for n := range uint32(20) {
				w, err := b.Begin(payment(byte(i), n+1, n+1))
				if err != nil || w.Wait(t.Context()) != nil {
					t.Error(err)
					return
				}
				b.Settle(w.ID, answered(1))
			}
		})
	}
	wg.Wait()
	b.pay(t, payment(99, 1, 1)) // after it all results are written
	r, err := b.Verify(t.Context())
	if err != nil || len(r.Problems) != 0 || r.Payments != 321 || r.Sets != 17 || r.States[paymentlog.Answered] != 320 {
		t.Errorf("%+v %v", r, err)
	}
}

func TestTotalsSurviveWhatIsNotKept(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir(), func(o *paymentlog.Options) { o.Keep = 10 })
	want := pm.Value{}
	var units int64
	for n := range uint32(500) {
		p := payment(byte(n%3), n+1, n+1)
		p.At = at.Add(time.Duration(n) * 10 * time.Minute)
		id := b.pay(t, p)
		if n%7 == 0 {
			b.Settle(id, paymentlog.Result{State: paymentlog.Unsent, Settled: at})
			continue
		}
		want = want.Add(p.Value())
		units += int64(n)
		b.Settle(id, answered(int64(n)))
	}
	totals, err := b.Totals(t.Context(), paymentlog.Query{})
	if err != nil || len(totals) != 1 {
		t.Fatal(totals, err)
	}
	got := totals[0]
	if got.Value.Cmp(want) != 0 || got.Units != units || got.Billed.Cmp(pm.Price{PerUnit: 7,
		PixelsPerUnit: 3}.Of(units)) != 0 || got.Tickets != got.Payments {
		t.Errorf("%+v, want %s and %d", got, want, units)
	}
	if n := len(b.all(t)); n > 120 {
		t.Errorf("%d payments are kept one by one", n)
	}
	if days, err := b.Totals(t.Context(), paymentlog.Query{Day: true, Recipient: true, Model: true, From: "2026-03-05",
		To: "2026-03-05"}); err != nil ||
		len(days) != 3 || days[0].Day != "2026-03-05" || days[0].Model != "m" {
		t.Errorf("%+v %v", days, err)
	}
	if r, err := b.Verify(t.Context()); err != nil || len(r.Problems) != 0 || r.Sums == 0 || r.Value.Cmp(want) != 0 {
		t.Errorf("%+v %v", r, err)
	}
}

func TestStrangePricesDoNotGrowSums(t *testing.T) {
	t.Parallel()
	// Some are stored as sums, and some one by one.
	b := open(t, t.TempDir(), func(o *paymentlog.Options) { o.Keep = 50 })
	for n := range uint32(120) {
		p := payment(1, n+1, n+1)
		p.Price = pm.Price{PerUnit: 1, PixelsPerUnit: 1<<62 - int64(n)*2 - 1}
		b.Settle(b.pay(t, p), answered(1<<40))
	}
	b.pay(t, payment(2, 1, 1))
	totals, err := b.Totals(t.Context(), paymentlog.Query{})
	if err != nil {
		t.Fatal(err)
	}
	exact := new(big.Rat)
	for n := range int64(120) {
		exact.Add(exact, big.NewRat(1<<40, 1<<62-n*2-1))
	}
	billed := totals[0].Billed.Rat()
	over := new(big.Rat).Sub(billed, exact)
	if over.Sign() < 0 || over.Cmp(big.NewRat(1, 1e15)) > 0 {
		t.Errorf("off by %s", over.FloatString(30))
	}
	if n := billed.Denom().BitLen(); n > 64 {
		t.Errorf("the sum has a denominator of %d bits", n)
	}
}

func TestSets(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir(), nil)
	b.Settle(b.pay(t, payment(1, 1, 2)), answered(1))
	b.Settle(b.pay(t, payment(2, 1, 1)), paymentlog.Result{State: paymentlog.Unsent})
	b.Settle(b.pay(t, payment(1, 3, 4)), paymentlog.Result{State: paymentlog.Failed})
	b.pay(t, payment(1, 5, 5))
	sets, err := b.Sets(t.Context())
	if err != nil || len(sets) != 1 {
		t.Fatal(sets, err)
	}
	if s := sets[0]; len(s.Nonces) != 5 || len(s.Open) != 3 || s.Value.Cmp(payment(1, 1, 5).Value()) != 0 {
		t.Errorf("%+v", s)
	}
}

func TestVerifyFinds(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir(), nil)
	b.pay(t, payment(1, 1, 5))
	b.pay(t, payment(1, 5, 6))
	other := payment(1, 7, 7)
	other.FaceValue = core.NewWei(1)
	b.pay(t, other)
	b.Settle(b.pay(t, payment(3, 1, 1)), paymentlog.Result{State: paymentlog.Failed, Units: 4})
	b.pay(t, payment(4, 3, 2))
	r, err := b.Verify(t.Context())
	all := strings.Join(r.Problems, "\n")
	for _, want := range []string{"payments 1 and 2 used nonce 5", "payment 3 differs",
		"payment 4 bills 4 units in state failed", "payment 5 has nonces 3 to 2"} {
		if err != nil || !strings.Contains(all, want) {
			t.Errorf("%q not in %q, %v", want, all, err)
		}
	}
}

func TestExport(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir(), nil)
	b.Settle(b.pay(t, payment(1, 1, 2)), answered(3))
	b.pay(t, payment(1, 3, 3))
	var out bytes.Buffer
	if err := b.Export(t.Context(), &out, "csv"); err != nil || strings.Count(out.String(), "\n") != 3 ||
		!strings.Contains(out.String(), ",answered,3,7,7,0\n") {
		t.Error(out.String(), err)
	}
	out.Reset()
	if err := b.Export(t.Context(), &out, "json"); err != nil || !strings.Contains(out.String(), `"price":"7/3"`) {
		t.Error(out.String(), err)
	}
	if err := b.Export(t.Context(), &out, "xml"); err == nil {
		t.Error("xml")
	}
}

func TestADiskThatRefuses(t *testing.T) {
	t.Parallel()
	board := health.New(slog.New(slog.DiscardHandler), func() time.Time { return at }, nil)
	b := open(t, t.TempDir(), func(o *paymentlog.Options) { o.Board = board })
	id := b.pay(t, payment(1, 1, 1))
	exec := func(q string) {
		if _, err := b.db.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	exec(`CREATE TRIGGER no BEFORE INSERT ON spent_payment BEGIN SELECT raise(ABORT, 'no room'); END`)
	exec(`CREATE TRIGGER nor BEFORE UPDATE ON spent_payment BEGIN SELECT raise(ABORT, 'no room'); END`)
	b.Settle(id, answered(5))
	w, err := b.Begin(payment(1, 2, 2))
	if err == nil {
		err = w.Wait(t.Context())
	}
	if !errors.Is(err, fault.SpentFailed) || board.Healthy() {
		t.Fatal(err)
	}
	exec(`DROP TRIGGER no`)
	exec(`DROP TRIGGER nor`)
	b.pay(t, payment(1, 3, 3))
	if got := b.all(t); len(got) != 2 || got[0].Units != 5 || got[1].First != 3 || !board.Healthy() {
		t.Errorf("%+v", got)
	}
}

func TestAnEndedBookRefuses(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir(), nil)
	b.close()
	if _, err := b.Begin(payment(1, 1, 1)); !errors.Is(err, fault.Canceled) {
		t.Error(err)
	}
	b.Settle(1, answered(1)) // nothing happens
}

func TestWhoGivesUpHasNotSent(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir(), nil)
	w, err := b.Begin(payment(1, 1, 1))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Wait(ctx); err != nil && !errors.Is(err, fault.Canceled) {
		t.Fatal(err)
	} else if err == nil {
		return // it was written before
	}
	b.pay(t, payment(2, 1, 1))
	if got := b.all(t); got[0].State != paymentlog.Unsent {
		t.Errorf("%+v", got[0])
	}
}
