package pricing_test

import (
	"context"
	"errors"
	"log/slog"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/pricing"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	alice = core.Address{0xa1}
	bob   = core.Address{0xb0}
	quiet = slog.New(slog.DiscardHandler)
)

// fakeFeed is a price feed in memory.
type fakeFeed struct {
	mu          sync.Mutex
	description string
	price       *big.Rat
	// age is how old its answers are.
	age   time.Duration
	err   error
	asked int
	now   func() time.Time
}

func newFeed() *fakeFeed {
	return &fakeFeed{description: "ETH / USD", price: big.NewRat(2000, 1), now: time.Now}
}

func (f *fakeFeed) Quote(_ context.Context, feed core.Address) (string, *big.Rat, time.Time, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	if feed != bob {
		return "", nil, time.Time{}, errors.New("asked about another contract")
	}
	return f.description, f.price, f.now().Add(-f.age), f.err
}

func (f *fakeFeed) set(change func(*fakeFeed)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

func (f *fakeFeed) times() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked
}

func newRates(f *fakeFeed) (*pricing.Rates, *health.Board) {
	board := health.New(quiet, time.Now, nil)
	return pricing.NewRates(pricing.RatesOptions{Feed: f, Address: bob, Board: board, Log: quiet, Now: time.Now}), board
}

// unit reads "0.18USD/1000000".
func unit(t testing.TB, text string) core.UnitPrice {
	t.Helper()
	amount, per, found := strings.Cut(text, "/")
	p, err := core.ParsePrice(amount)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	pixels := core.NewWei(1)
	if found {
		if pixels, err = core.ParseWei(per); err != nil {
			t.Fatal(err)
		}
	}
	return core.UnitPrice{Price: p, PixelsPerUnit: core.Pixels(pixels.Big().Int64())}
}

// shown is a price for comparing.
func shown(r *big.Rat) string {
	if r == nil {
		return "none"
	}
	return r.RatString()
}

// codes are the conditions that are set, in the order of the alphabet.
func codes(b *health.Board) string {
	var out []string
	for _, c := range b.Snapshot() {
		out = append(out, string(c.Code))
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// detail is what a condition says, "" where it is not set.
func detail(b *health.Board, code fault.Code) string {
	for _, c := range b.Snapshot() {
		if c.Code == code {
			return c.Detail
		}
	}
	return ""
}
