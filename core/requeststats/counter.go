package requeststats

import (
	"maps"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// Window is how far back a report looks, to the hour.
const Window = 24 * time.Hour

// Limits per hour. Any peer may send requests, from any number of addresses.
const (
	maxGateways = 100
	maxAnswers  = 1000
	maxMissing  = 50
	maxText     = 200
)

// hours is the number of hours kept: those of the window and the one that began.
const hours = int64(Window/time.Hour) + 1

// gatewayKey is a gateway, or all those beyond maxGateways.
type gatewayKey struct {
	address  core.Address
	overflow bool
}

type answerKey struct {
	kind    Kind
	gateway gatewayKey
	code    fault.Code
}

type missingKey struct {
	kind Kind
	text string
}

type tally struct {
	count uint64
	last  time.Time
}

type totalKey struct {
	kind Kind
	code fault.Code
}

// hour is the requests of one hour.
type hour struct {
	number int64 // since 1970
	// shared: a report reads it without the lock, so it must not be written to any more,
	// even if the clock goes back.
	shared   bool
	gateways map[core.Address]bool
	answers  map[answerKey]*tally
	missing  map[missingKey]*tally
	prices   map[gatewayKey]*priceRange
}

// Counter counts requests. It is safe for concurrent use; a nil Counter counts nothing.
type Counter struct {
	now   func() time.Time
	since time.Time

	mu     sync.Mutex
	hours  [hours]*hour        // guarded by mu, by number modulo the length
	totals map[totalKey]uint64 // guarded by mu, since the start
}

// New makes an empty counter.
func New(now func() time.Time) *Counter {
	return &Counter{now: now, since: now(), totals: make(map[totalKey]uint64)}
}

// Record counts a request. It is cheap and never blocks for long.
func (b *Counter) Record(q Request) {
	if b == nil {
		return
	}
	now := b.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.addTotalLocked(q)
	h := b.hourLocked(now)
	gateway := h.gatewayKey(q.Gateway)
	count(h.answers, answerKey{q.Kind, gateway, q.Code}, maxAnswers, now)
	if q.Missing != "" {
		count(h.missing, missingKey{q.Kind, clip(q.Missing)}, maxMissing, now)
	}
	if q.Quoted != nil || q.Expected != nil {
		h.addPrice(gateway, &q)
	}
}

// addTotalLocked counts since the start. The codes are our own, so there are few.
func (b *Counter) addTotalLocked(q Request) {
	key := totalKey{q.Kind, q.Code}
	if _, known := b.totals[key]; known || len(b.totals) < maxAnswers {
		b.totals[key]++
	}
}

// hourLocked returns the hour of a time, one that may be written to.
func (b *Counter) hourLocked(now time.Time) *hour {
	number := now.Unix() / int64(time.Hour/time.Second)
	at := &b.hours[number%hours]
	if *at == nil || (*at).number != number {
		*at = &hour{
			number: number, gateways: make(map[core.Address]bool), answers: make(map[answerKey]*tally),
			missing: make(map[missingKey]*tally), prices: make(map[gatewayKey]*priceRange),
		}
	}
	if (*at).shared {
		*at = (*at).clone()
	}
	return *at
}

// clone returns a copy of the hour that is not shared.
func (h *hour) clone() *hour {
	return &hour{number: h.number, gateways: maps.Clone(h.gateways), answers: cloned(h.answers),
		missing: cloned(h.missing), prices: cloned(h.prices)}
}

func cloned[K comparable, V any](in map[K]*V) map[K]*V {
	out := make(map[K]*V, len(in))
	for key, v := range in {
		same := *v
		out[key] = &same
	}
	return out
}

// gatewayKey adds a gateway, or counts it as overflow beyond maxGateways.
func (h *hour) gatewayKey(a core.Address) gatewayKey {
	if !h.gateways[a] {
		if len(h.gateways) >= maxGateways && !a.IsZero() {
			return gatewayKey{overflow: true}
		}
		h.gateways[a] = true
	}
	return gatewayKey{address: a}
}

// count adds one; keys beyond limit are dropped.
func count[K comparable](in map[K]*tally, key K, limit int, now time.Time) {
	t := in[key]
	if t == nil {
		if len(in) >= limit {
			return
		}
		t = new(tally)
		in[key] = t
	}
	t.count++
	t.last = now
}

// clip makes a peer's text short and printable: it is shown on terminals.
func clip(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, s[:min(len(s), maxText)])
}
