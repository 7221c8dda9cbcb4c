package sender_test

import (
	"errors"
	"math/big"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/sender"
)

// offered tries a price with some terms.
func offered(t *testing.T, k *kit, price int64, change func(*sender.Terms)) error {
	t.Helper()
	p, err := k.Pay(t.Context(), terms(params(1, 30), func(t *sender.Terms) {
		t.Pipeline, t.Model, t.Price.PerUnit = "transcoding", "", price
		change(t)
	}), 1)
	if err == nil {
		p.Settle(sender.Unsent, 0)
	}
	return err
}

func TestAPriceMayNotRun(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), nil)
	at := func(session string, price int64) error {
		return offered(t, k, price, func(t *sender.Terms) { t.Session = core.SessionID(session) })
	}
	if err := errors.Join(at("a", 10), at("a", 20), at("b", 21)); err != nil {
		t.Fatal(err)
	}
	if err := at("a", 21); !errors.Is(err, fault.PriceRaised) {
		t.Error(err)
	}
	k.clock.Forward(31 * time.Minute)
	k.Sweep()
	if err := at("a", 21); err != nil {
		t.Error(err)
	}
}

// A new session id or another address does not make a stream's price again, as long as
// the stream is paid for.
func TestAStreamHasOneFirstPrice(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), nil)
	at := func(stream, session, peer string, price int64) error {
		return offered(t, k, price, func(t *sender.Terms) {
			t.Owner, t.Stream, t.Session, t.Peer = "0xo", core.ManifestID(stream), core.SessionID(session), peer
			t.Address = core.Address{byte(price)}
		})
	}
	for n := range 5 {
		if err := at("live", "s"+string(rune('0'+n)), "https://o:8935", int64(10+n)); err != nil {
			t.Fatal(err)
		}
		k.clock.Forward(20 * time.Minute)
		k.Sweep()
	}
	for range 3 { // trying does not wear it out
		if err := at("live", "new", "https://elsewhere:8935", 21); !errors.Is(err, fault.PriceRaised) {
			t.Error(err)
		}
	}
	if err := at("other", "new", "https://o:8935", 21); err != nil {
		t.Error(err)
	}
	k.clock.Forward(10 * time.Minute)
	if err := at("live", "new", "https://o:8935", 21); err != nil {
		t.Error("the stream had ended:", err)
	}
}

// A model's first price counts for half an hour, whatever is paid in it.
func TestAModelHasAFirstPriceForAWhile(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), nil)
	at := func(owner, model, session string, price int64) error {
		return offered(t, k, price, func(t *sender.Terms) {
			t.Owner, t.Pipeline, t.Model, t.Session = owner, "llm", model, core.SessionID(session)
		})
	}
	if err := errors.Join(at("o", "m", "1", 10), at("o", "m", "2", 20), at("o", "other", "3", 90),
		at("p", "m", "4", 90)); err != nil {
		t.Fatal(err)
	}
	k.clock.Forward(29 * time.Minute)
	k.Sweep()
	if err := at("o", "m", "5", 21); !errors.Is(err, fault.PriceRaised) {
		t.Error(err)
	}
	if err := at("o", "m", "5", 15); err != nil {
		t.Error(err)
	}
	k.clock.Forward(time.Minute)
	if err := at("o", "m", "6", 21); err != nil {
		t.Error("a price that holds for half an hour is not taken:", err)
	}
	if err := at("o", "m", "6", 43); !errors.Is(err, fault.PriceRaised) {
		t.Error(err)
	}
}

// Who does not say whom it is held for cannot spoil another's price by its address.
func TestAnAddressAloneIsNobody(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), nil)
	at := func(peer string, price int64) error {
		return offered(t, k, price, func(t *sender.Terms) { t.Peer, t.Model = peer, "m" })
	}
	if err := errors.Join(at("https://thief:8935", 1), at("https://o:8935", 10)); err != nil {
		t.Error(err)
	}
}

// An orchestrator may change its price with each answer. The gateway's exact sums must not have the
// denominators of all these prices: each job would take longer than the one before, and all payments
// wait for it.
func TestPricesThatNeverRepeat(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), func(o *sender.Options) { o.Limits.MaxCredit = wei("20000000000000") })
	p := params(1, 8_000_000_000)
	const jobs, spread = 200, 4
	exact := new(big.Rat)
	for n := range int64(jobs) {
		price := pm.Price{PerUnit: 1<<62 + n, PixelsPerUnit: 1<<62 - 2*n - 1}
		job := pay(t, k, terms(p, func(t *sender.Terms) {
			t.Price, t.Key, t.Model = price, core.ManifestID(string(rune('a'+n%spread))), ""
			t.Session = core.SessionID(t.Key)
			t.Nonces = sender.OwnNonces
		}), 1000)
		if len(job.Tickets) > 0 {
			exact.Add(exact, job.Params.EV().Times(int64(len(job.Tickets))).Rat())
		}
		job.Settle(sender.Served, 900)
		job.Received(900)
		exact.Sub(exact, price.Of(900).Rat())
	}
	held := new(big.Rat)
	for _, b := range k.Balances() {
		held.Add(held, b.Value.Rat())
	}
	for _, c := range k.Credits() {
		if n := c.Balance.Rat().Denom().BitLen(); n > 2048 {
			t.Errorf("the sum of the balances has a denominator of %d bits", n)
		}
	}
	if n := held.Denom().BitLen(); n > 2048 {
		t.Errorf("the balances have denominators of %d bits", n)
	}
	if less := exact.Sub(exact, held); less.Sign() < 0 || less.Cmp(big.NewRat(jobs, 1e18)) > 0 {
		t.Errorf("the balances are off by %s wei", less.FloatString(30))
	}
}
