package requeststats_test

import (
	"encoding/binary"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/requeststats"
	"github.com/tuttinode/tutti/pm"
)

type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newClock() *clock { return &clock{time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)} }

func gateway(n uint32) (a core.Address) {
	binary.BigEndian.PutUint32(a[:], n)
	a[19] = 1
	return a
}

func TestNilCounterCountsNothing(t *testing.T) {
	t.Parallel()
	var b *requeststats.Counter
	b.Record(requeststats.Request{Kind: requeststats.Segment})
	if r := b.Report(); len(r.Answers) != 0 || len(b.Totals()) != 0 {
		t.Fatalf("%+v", r)
	}
}

func TestAnswersByGatewayAndReason(t *testing.T) {
	t.Parallel()
	c := newClock()
	b := requeststats.New(c.now)
	for range 3 {
		b.Record(requeststats.Request{Kind: requeststats.TranscodingOffer, Gateway: gateway(1),
			Code: fault.OrchestratorCapped})
	}
	c.at = c.at.Add(time.Hour)
	b.Record(requeststats.Request{Kind: requeststats.TranscodingOffer, Gateway: gateway(1),
		Code: fault.OrchestratorCapped})
	b.Record(requeststats.Request{Kind: requeststats.TranscodingOffer, Gateway: gateway(2)})
	b.Record(requeststats.Request{Kind: requeststats.Segment})
	r := b.Report()
	if len(r.Answers) != 3 {
		t.Fatalf("%+v", r.Answers)
	}
	first := r.Answers[0]
	if first.Count != 4 || first.Gateway != gateway(1).String() || first.Code != fault.OrchestratorCapped ||
		!first.Last.Equal(c.at) {
		t.Errorf("%+v", first)
	}
	if r.Answers[1].Gateway != "" || r.Answers[1].Kind != requeststats.Segment {
		t.Errorf("an unproven gateway is %+v", r.Answers[1])
	}
	if !r.Since.Equal(newClock().at) {
		t.Errorf("since %s", r.Since)
	}
}

func TestOldHoursAreForgotten(t *testing.T) {
	t.Parallel()
	c := newClock()
	b := requeststats.New(c.now)
	b.Record(requeststats.Request{Kind: requeststats.Segment, Missing: "missing AV1", Quoted: &pm.Price{PerUnit: 1}})
	c.at = c.at.Add(requeststats.Window)
	if r := b.Report(); len(r.Answers) != 1 || len(r.Missing) != 1 || len(r.Prices) != 1 {
		t.Fatalf("after a day: %+v", r)
	}
	c.at = c.at.Add(time.Hour)
	r := b.Report()
	if len(r.Answers) != 0 || len(r.Missing) != 0 || len(r.Prices) != 0 {
		t.Fatalf("after a day and an hour: %+v", r)
	}
	if want := c.at.Add(-requeststats.Window).Truncate(time.Hour); !r.Since.Equal(want) {
		t.Errorf("since %s, want %s", r.Since, want)
	}
	if totals := b.Totals(); len(totals) != 1 || totals[0].Count != 1 {
		t.Errorf("the total is of the whole time: %+v", totals)
	}
	// The hour's element belongs to another hour now.
	b.Record(requeststats.Request{Kind: requeststats.Job})
	if r := b.Report(); len(r.Answers) != 1 || r.Answers[0].Kind != requeststats.Job {
		t.Fatalf("%+v", r)
	}
}

func TestPrices(t *testing.T) {
	t.Parallel()
	c := newClock()
	b := requeststats.New(c.now)
	for _, p := range []pm.Price{{PerUnit: 30, PixelsPerUnit: 2}, {PerUnit: 12, PixelsPerUnit: 1},
		{PerUnit: 20, PixelsPerUnit: 1}} {
		b.Record(requeststats.Request{Kind: requeststats.TranscodingOffer, Gateway: gateway(1), Quoted: &p})
		c.at = c.at.Add(time.Hour)
	}
	b.Record(requeststats.Request{Kind: requeststats.Segment, Gateway: gateway(1),
		Expected: &pm.Price{PerUnit: 7, PixelsPerUnit: 2}})
	prices := b.Report().Prices
	if len(prices) != 1 {
		t.Fatalf("%+v", prices)
	}
	p := prices[0]
	got := []string{p.Lowest.RatString(), p.Highest.RatString(), p.Last.RatString(), p.Expected.RatString()}
	if strings.Join(got, " ") != "12 20 20 7/2" || p.Quotes != 3 {
		t.Errorf("%v, %d quotes", got, p.Quotes)
	}
}

func TestManyGatewaysTakeBoundedMemory(t *testing.T) {
	t.Parallel()
	b := requeststats.New(newClock().now)
	const asked = 5000
	for n := range uint32(asked) {
		b.Record(requeststats.Request{Kind: requeststats.AIOffer, Gateway: gateway(n),
			Missing: strings.Repeat("x", int(n))})
	}
	r := b.Report()
	if len(r.Answers) > 101 || len(r.Missing) > 50 {
		t.Fatalf("%d answers, %d missing", len(r.Answers), len(r.Missing))
	}
	var sum uint64
	for _, a := range r.Answers {
		sum += a.Count
	}
	if r.Answers[0].Gateway != requeststats.Others || sum != asked {
		t.Errorf("first %+v, %d in all", r.Answers[0], sum)
	}
	for _, m := range r.Missing {
		if len(m.Text) > 200 {
			t.Fatalf("a text of %d bytes", len(m.Text))
		}
	}
}

// Whatever comes in within the bounds is in the report as often as it came.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newClock()
		b := requeststats.New(c.now)
		type key struct {
			kind requeststats.Kind
			who  uint32
			code fault.Code
		}
		want := make(map[key]uint64)
		for range rapid.IntRange(0, 200).Draw(t, "questions") {
			k := key{
				rapid.SampledFrom(requeststats.Kinds()).Draw(t, "kind"), rapid.Uint32Range(0, 20).Draw(t, "gateway"),
				rapid.SampledFrom([]fault.Code{"", fault.OrchestratorCapped, fault.Draining}).Draw(t, "code"),
			}
			want[k]++
			b.Record(requeststats.Request{Kind: k.kind, Gateway: gateway(k.who), Code: k.code})
			c.at = c.at.Add(time.Duration(rapid.IntRange(0, 400).Draw(t, "seconds")) * time.Second)
		}
		r := b.Report()
		if len(r.Answers) != len(want) {
			t.Fatalf("%d answers, want %d", len(r.Answers), len(want))
		}
		for k, n := range want {
			found := false
			for _, a := range r.Answers {
				found = found || a.Kind == k.kind && a.Gateway == gateway(k.who).String() && a.Code == k.code &&
					a.Count == n
			}
			if !found {
				t.Fatalf("%+v is not in the report %d times", k, n)
			}
		}
	})
}

func TestAtTheSameTime(t *testing.T) {
	t.Parallel()
	b := requeststats.New(time.Now)
	var all sync.WaitGroup
	for n := range uint32(4) {
		all.Go(func() {
			for range 200 {
				b.Record(requeststats.Request{Kind: requeststats.Segment, Gateway: gateway(n)})
				_ = b.Totals()
			}
			_ = b.Report()
		})
	}
	all.Wait()
	var sum uint64
	for _, total := range b.Totals() {
		sum += total.Count
	}
	if sum != 800 {
		t.Errorf("%d", sum)
	}
}

// A clock that goes back counts in an hour that a report may be reading.
func TestReportsWhileTheClockGoesBack(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	c := newClock()
	b := requeststats.New(func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return c.at
	})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 200 {
				b.Report()
			}
		})
	}
	const each = 500
	for n := range uint32(each) {
		mu.Lock()
		c.at = newClock().at.Add(time.Duration(n%3) * time.Hour)
		mu.Unlock()
		b.Record(requeststats.Request{Kind: requeststats.Segment, Gateway: gateway(n % 5)})
	}
	wg.Wait()
	mu.Lock()
	c.at = newClock().at.Add(2 * time.Hour)
	mu.Unlock()
	var sum uint64
	for _, a := range b.Report().Answers {
		sum += a.Count
	}
	if sum != each {
		t.Errorf("%d of %d are counted", sum, each)
	}
}

// What a stranger asked for is shown on terminals.
func TestWhatIsMissingIsPlainText(t *testing.T) {
	t.Parallel()
	b := requeststats.New(newClock().now)
	b.Record(requeststats.Request{Kind: requeststats.AIOffer, Missing: "model \x1b]0;owned\x07\u202e\xff\nx"})
	b.Record(requeststats.Request{Kind: requeststats.AIOffer, Missing: strings.Repeat("é", 150)})
	for _, m := range b.Report().Missing {
		if strings.ContainsFunc(m.Text, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }) ||
			len(m.Text) > 200 {
			t.Errorf("%q", m.Text)
		}
	}
}
