package apikeys_test

import (
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/test/coretest"
)

// rich is a guard with one key, whose budget is money, and a rate of 1000 wei a dollar.
func rich(b apikeys.Budget, store apikeys.Store) (*apikeys.Guard, *coretest.Clock) {
	c := coretest.NewClock(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC))
	k := apikeys.Key{ID: "k-0000000001", Name: "app", Hash: apikeys.HashOf(secret), Limits: apikeys.Limits{Budget: b}}
	return apikeys.New(apikeys.Options{Static: []apikeys.Key{k}, Store: store, Now: c.Now,
		WeiPerUSD: func(bool) (*big.Rat, bool) { return big.NewRat(1000, 1), true }}), c
}

func usd(s string) apikeys.USD {
	u, err := apikeys.ParseUSD(s)
	if err != nil {
		panic(err)
	}
	return u
}

// Whatever attempts cost and in whatever order they end: what a key paid is the sum of what they cost, to the wei, and
// with attempts that cost no more than their price it is never above the budget.
func TestPaidIsWhatWasSpent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Uint64Range(1, 5000).Draw(t, "budget")
		g, clock := rich(apikeys.Budget{Wei: core.NewWei(limit), Period: apikeys.Total}, nil)
		type attempt struct {
			price  uint64
			settle func(core.Wei, bool)
		}
		var open []attempt
		var held, spent, lost uint64
		var bills []*apikeys.Bill
		state := func() apikeys.Usage { return g.States()[0].Usage }
		end := func(t *rapid.T, i int) {
			a := open[i]
			open = append(open[:i], open[i+1:]...)
			cost, failed := rapid.Uint64Range(0, a.price).Draw(t, "cost"), rapid.Bool().Draw(t, "failed")
			a.settle(core.NewWei(cost), failed)
			held, spent = held-a.price, spent+cost
			if failed {
				lost += cost
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"pay": func(t *rapid.T) {
				grant, err := g.Admit(t.Context(), secret, apikeys.Need{MaxTokens: 1})
				if spent >= limit {
					if fault.CodeOf(err) != fault.BudgetSpent {
						t.Fatalf("nothing is left, and a request is admitted: %v", err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				bill, price := apikeys.NewBill(grant), rapid.Uint64Range(0, 2000).Draw(t, "price")
				settle, err := bill.Hold(core.NewWei(price))
				if fits := spent+held+price <= limit; fits != (err == nil) {
					t.Fatalf("%d spent, %d held, %d of %d: %v", spent, held, price, limit, err)
				}
				grant.Settle(inference.Usage{}, false)
				if err == nil {
					held, open, bills = held+price, append(open, attempt{price, settle}), append(bills, bill)
				}
			},
			"settle": func(t *rapid.T) {
				if len(open) == 0 {
					t.Skip()
				}
				end(t, rapid.IntRange(0, len(open)-1).Draw(t, "which"))
			},
			"wait": func(*rapid.T) { clock.Forward(time.Hour) },
			"": func(t *rapid.T) {
				if u := state(); u.Paid.Cmp(core.NewWei(spent)) != 0 || u.Held.Cmp(core.NewWei(held)) != 0 {
					t.Fatalf("paid %s and held %s, want %d and %d", u.Paid, u.Held, spent, held)
				}
			},
		})
		for len(open) > 0 {
			end(t, 0)
		}
		var paid, failed core.Wei
		var dollars apikeys.USD
		for _, b := range bills {
			p, l, d := b.Total()
			paid, failed, dollars = paid.Add(p), failed.Add(l), dollars.Add(d)
		}
		u := state()
		if u.Paid.Cmp(paid) != 0 || paid.Cmp(core.NewWei(spent)) != 0 || failed.Cmp(core.NewWei(lost)) != 0 ||
			!u.Held.IsZero() || !u.HeldUSD.IsZero() || u.PaidUSD.Cmp(dollars) != 0 {
			t.Fatalf("%+v; bills %s, %s lost, %s dollars; spent %d, %d lost", u, paid, failed, dollars, spent, lost)
		}
		if want := new(big.Rat).SetFrac64(int64(spent), 1000).FloatString(3); usd(want).Cmp(dollars) != 0 {
			t.Fatalf("%s dollars, want %s", dollars, want)
		}
	})
}

// A budget in dollars counts at the rate of when it was paid, and refuses while none is known.
func TestBudgetInDollars(t *testing.T) {
	t.Parallel()
	c := coretest.NewClock(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC))
	rate := big.NewRat(1000, 1)
	k := apikeys.Key{ID: "k-0000000001", Name: "app", Hash: apikeys.HashOf(secret),
		Limits: apikeys.Limits{Budget: apikeys.Budget{USD: usd("1.5"), Period: apikeys.Day}, Alert: 60}}
	g := apikeys.New(apikeys.Options{Static: []apikeys.Key{k}, Now: c.Now,
		WeiPerUSD: func(needed bool) (*big.Rat, bool) { return rate, rate != nil && needed }})
	grant, err := g.Admit(t.Context(), secret, apikeys.Need{MaxTokens: 1})
	if err != nil {
		t.Fatal(err)
	}
	bill := apikeys.NewBill(grant)
	settle, err := bill.Hold(core.NewWei(1000))
	if err != nil {
		t.Fatal(err)
	}
	rate = big.NewRat(500, 1)
	settle(core.NewWei(1000), false)
	s := g.States()[0]
	if s.Usage.PaidUSD.Cmp(usd("1")) != 0 || s.Percent() != 66 {
		t.Errorf("%s dollars, %d %%", s.Usage.PaidUSD, s.Percent())
	}
	_, err = bill.Hold(core.NewWei(251))
	if fault.CodeOf(err) != fault.BudgetSpent || !strings.Contains(err.Error(), "0.502") ||
		!strings.Contains(err.Error(), "0.5 are left") ||
		!strings.Contains(err.Error(), "the next day begins at 2026-03-05") {
		t.Error(err)
	}
	rate = nil
	if _, err = bill.Hold(core.NewWei(1)); fault.CodeOf(err) != fault.BudgetRateUnknown {
		t.Error(err)
	}
	rate = big.NewRat(500, 1)
	c.Forward(24 * time.Hour)
	if _, err = bill.Hold(core.NewWei(251)); err != nil {
		t.Error(err)
	}
}

// What requests in progress held when the node ended counts as paid.
func TestHeldMoneyCountsAfterACrash(t *testing.T) {
	t.Parallel()
	store := &memory{usage: map[string]apikeys.Usage{}}
	budget := apikeys.Budget{Wei: core.NewWei(100), Period: apikeys.Total}
	g, _ := rich(budget, store)
	if err := g.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	grant, err := g.Admit(t.Context(), secret, apikeys.Need{MaxTokens: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := apikeys.NewBill(grant).Hold(core.NewWei(60)); err != nil {
		t.Fatal(err)
	}
	if err := g.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	g, _ = rich(budget, store)
	if err := g.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	u := g.States()[0].Usage
	if u.Paid.Cmp(core.NewWei(60)) != 0 || !u.Held.IsZero() || u.PaidUSD.Cmp(usd("0.06")) != 0 {
		t.Errorf("%+v", u)
	}
}

// What is paid while the rate of dollars is not known counts at the rate at which it was held.
func TestPaidWhileTheRateIsUnknown(t *testing.T) {
	t.Parallel()
	known := true
	k := apikeys.Key{ID: "k-0000000001", Name: "app", Hash: apikeys.HashOf(secret),
		Limits: apikeys.Limits{Budget: apikeys.Budget{USD: usd("1"), Period: apikeys.Total}}}
	g := apikeys.New(apikeys.Options{Static: []apikeys.Key{k}, Now: time.Now,
		WeiPerUSD: func(bool) (*big.Rat, bool) { return big.NewRat(1000, 1), known }})
	grant, err := g.Admit(t.Context(), secret, apikeys.Need{MaxTokens: 1})
	if err != nil {
		t.Fatal(err)
	}
	settle, err := apikeys.NewBill(grant).Hold(core.NewWei(500))
	if err != nil {
		t.Fatal(err)
	}
	known = false
	settle(core.NewWei(2000), true) // a ticket that is worth more than the price
	grant.Settle(inference.Usage{}, false)
	if paid := g.States()[0].Usage.PaidUSD; paid.Cmp(usd("2")) != 0 {
		t.Errorf("%s dollars", paid)
	}
	if _, err := g.Admit(t.Context(), secret, apikeys.Need{MaxTokens: 1}); fault.CodeOf(err) != fault.BudgetSpent {
		t.Error(err)
	}
}

// A budget that was overrun many times is used up, however small it is.
func TestPercentOfASmallBudget(t *testing.T) {
	t.Parallel()
	paid, _ := core.ParseWei("120000000000000000000")
	s := apikeys.State{Key: apikeys.Key{Limits: apikeys.Limits{Budget: apikeys.Budget{Wei: core.NewWei(1)}}},
		Usage: apikeys.Usage{Paid: paid}}
	if got := s.Percent(); got != 1000 {
		t.Errorf("%d percent", got)
	}
}

func sumOf(rows []apikeys.Spend, q apikeys.SpendQuery) []apikeys.Spend {
	sums := apikeys.NewSums(q)
	for i := range rows {
		sums.Add(&rows[i])
	}
	return sums.List()
}

// Whatever models, users and tags a client invents: what waits to be saved is bounded for its key and in all, keeps the
// labels of other keys, and has all that was paid.
func TestWhatIsNotSavedYetIsBounded(t *testing.T) {
	t.Parallel()
	var p apikeys.Pending
	add := func(id, model, user string) {
		p.Add(&apikeys.Spend{SpendKey: apikeys.SpendKey{Day: "2026-03-01", ID: id, Model: model, User: user},
			Paid: core.NewWei(1)})
	}
	const each = 10_000
	for i := range each {
		add("a", strconv.Itoa(i), "")
		add("b", "m", strconv.Itoa(i))
		add("c", strconv.Itoa(i), strconv.Itoa(i))
	}
	add("d", "m", "u")
	rows := p.Take()
	if len(rows) > 3*(apikeys.MaxLabelsPerDay+apikeys.MaxModelsPerDay+1)+1 {
		t.Errorf("%d rows", len(rows))
	}
	if sum := sumOf(rows, apikeys.SpendQuery{}); len(sum) != 1 || sum[0].Paid.Cmp(core.NewWei(3*each+1)) != 0 {
		t.Errorf("%+v", sum)
	}
	if d := sumOf(rows, apikeys.SpendQuery{ID: "d", One: true, By: []apikeys.SpendField{apikeys.ByUser}}); len(d) != 1 ||
		d[0].User != "u" {
		t.Errorf("another key's labels: %+v", d)
	}
	for i := range each {
		for j := range 20 {
			add("key "+strconv.Itoa(j), strconv.Itoa(i), "")
		}
	}
	if rows := p.Take(); len(rows) > 1<<14+20 {
		t.Errorf("%d rows of many keys", len(rows))
	}
}

// Sums by any fields have all of what was paid; by tags a request counts under each.
func TestSumsOfSpend(t *testing.T) {
	t.Parallel()
	var p apikeys.Pending
	add := func(day, key, model, tags string, paid uint64) {
		p.Add(&apikeys.Spend{SpendKey: apikeys.SpendKey{Day: day, ID: key, Name: key, Model: model, Tags: tags}, Requests: 1,
			Paid: core.NewWei(paid)})
	}
	add("2026-03-01", "a", "m", "x,y", 1)
	add("2026-03-01", "a", "m", "x,y", 2)
	add("2026-03-02", "b", "m", "y", 4)
	add("2026-03-03", "", "n", "", 8)
	rows := p.Take()
	if len(rows) != 3 || len(p.Take()) != 0 {
		t.Fatalf("%+v", rows)
	}
	for by, want := range map[string]string{
		"": "3 4 8", "day": "3 4 8", "key": "8 3 4", "model": "7 8", "tag": "8 3 7", "day,tag": "3 3 4 8",
	} {
		fields, err := apikeys.ParseSpendFields(by)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range sumOf(rows, apikeys.SpendQuery{By: fields}) {
			got = append(got, s.Paid.String())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("by %q: %v, want %s", by, got, want)
		}
	}
	if got := sumOf(rows, apikeys.SpendQuery{From: "2026-03-02", To: "2026-03-02"}); len(got) != 1 ||
		got[0].Paid.Cmp(core.NewWei(4)) != 0 {
		t.Errorf("%+v", got)
	}
	if got := sumOf(rows, apikeys.SpendQuery{One: true}); len(got) != 1 ||
		got[0].Paid.Cmp(core.NewWei(8)) != 0 {
		t.Errorf("%+v", got)
	}
	if _, err := apikeys.ParseSpendFields("day,hour"); err == nil {
		t.Error("hours are no field")
	}
}

// FuzzLabels: labels are bounded, and texts without commas or control characters.
func FuzzLabels(f *testing.F) {
	f.Add("team a", "x,y")
	f.Fuzz(func(t *testing.T, a, b string) {
		if l := apikeys.Label(a); len(l) > 64 || strings.ContainsAny(l, ",\n\x00") || apikeys.Label(l) != l {
			t.Errorf("%q", l)
		}
		tags := apikeys.Tags(strings.Split(a+","+b, ","))
		if again := apikeys.Tags(strings.Split(tags, ",")); again != tags || len(tags) > 8*65 {
			t.Errorf("%q, then %q", tags, again)
		}
	})
}
