package requeststats

import (
	"cmp"
	"math/big"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// Others stands for the gateways beyond the limit.
const Others = "others"

// Answer is how often a gateway got one answer.
type Answer struct {
	Kind Kind
	// Gateway is an address, Others, or "" without a valid signature.
	Gateway string
	// Code is "" for an accepted request.
	Code  fault.Code
	Count uint64
	Last  time.Time
}

// Missing is something that was requested and that the node does not have.
type Missing struct {
	Kind  Kind
	Text  string
	Count uint64
	Last  time.Time
}

// Price is the price of a unit that a gateway was quoted and expected, in wei.
type Price struct {
	Gateway               string
	Quotes                uint64
	Lowest, Highest, Last *big.Rat
	// Expected is what the gateway named last, nil when it named nothing.
	Expected *big.Rat
}

// Report is a day's requests, the most frequent first.
type Report struct {
	// Since is the beginning of the report: a day ago, or the start.
	Since, Until time.Time
	Answers      []Answer
	Missing      []Missing
	Prices       []Price
}

// Report sums up the last day. That of a nil Counter is empty.
func (b *Counter) Report() Report {
	if b == nil {
		return Report{}
	}
	now := b.now()
	r := Report{Since: b.since, Until: now}
	answers, missing, prices := make(map[answerKey]*tally), make(map[missingKey]*tally),
		make(map[gatewayKey]*priceRange)
	for _, h := range b.shareHours(now) {
		mergeTallies(answers, h.answers)
		mergeTallies(missing, h.missing)
		for gateway, s := range h.prices {
			if prices[gateway] == nil {
				prices[gateway] = new(priceRange)
			}
			prices[gateway].merge(s)
		}
	}
	if day := now.Add(-Window).Truncate(time.Hour); day.After(r.Since) {
		r.Since = day
	}
	r.fill(answers, missing, prices)
	return r
}

// shareHours returns the hours of the window to be read without the lock: summing up a busy
// day takes milliseconds, and segments must not wait for it.
func (b *Counter) shareHours(now time.Time) []*hour {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.windowHoursLocked(now)
	for i, h := range all {
		if i == len(all)-1 {
			all[i] = h.clone() // it is written to all the time
		} else {
			h.shared = true
		}
	}
	return all
}

// windowHoursLocked returns the hours of the window, in order.
func (b *Counter) windowHoursLocked(now time.Time) (out []*hour) {
	last := now.Unix() / int64(time.Hour/time.Second)
	for number := last - hours + 1; number <= last; number++ {
		if h := b.hours[(number%hours+hours)%hours]; h != nil && h.number == number {
			out = append(out, h)
		}
	}
	return out
}

func mergeTallies[K comparable](all, some map[K]*tally) {
	for key, t := range some {
		sum := all[key]
		if sum == nil {
			sum = new(tally)
			all[key] = sum
		}
		sum.count += t.count
		if t.last.After(sum.last) {
			sum.last = t.last
		}
	}
}

func (r *Report) fill(answers map[answerKey]*tally, missing map[missingKey]*tally, prices map[gatewayKey]*priceRange) {
	for key, t := range answers {
		r.Answers = append(r.Answers, Answer{Kind: key.kind, Gateway: key.gateway.String(), Code: key.code,
			Count: t.count, Last: t.last})
	}
	slices.SortFunc(r.Answers, func(a, b Answer) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Gateway, b.Gateway),
			cmp.Compare(a.Code, b.Code))
	})
	for key, t := range missing {
		r.Missing = append(r.Missing, Missing{Kind: key.kind, Text: key.text, Count: t.count, Last: t.last})
	}
	slices.SortFunc(r.Missing, func(a, b Missing) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Text, b.Text))
	})
	for gateway, s := range prices {
		p := Price{Gateway: gateway.String(), Quotes: s.quotes, Expected: rat(s.expected)}
		if s.quotes > 0 {
			p.Lowest, p.Highest, p.Last = s.lowest.Rat(), s.highest.Rat(), s.last.Rat()
		}
		r.Prices = append(r.Prices, p)
	}
	slices.SortFunc(r.Prices, func(a, b Price) int {
		return cmp.Or(cmp.Compare(b.Quotes, a.Quotes), cmp.Compare(a.Gateway, b.Gateway))
	})
}

// String returns the gateway's name in a report.
func (w gatewayKey) String() string {
	switch {
	case w.overflow:
		return Others
	case w.address.IsZero():
		return ""
	}
	return w.address.String()
}

// Total is how often one answer was given since the node began.
type Total struct {
	Kind  Kind
	Code  fault.Code
	Count uint64
}

// Totals returns all of them, in no order.
func (b *Counter) Totals() (out []Total) {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for key, n := range b.totals {
		out = append(out, Total{Kind: key.kind, Code: key.code, Count: n})
	}
	return out
}
