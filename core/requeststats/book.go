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

// Bounds per hour. Anybody may ask, under any number of addresses.
const (
	maxGateways = 100
	maxAnswers  = 1000
	maxMissing  = 50
	maxText     = 200
)

// hours is the number of hours kept: those of the window and the one that began.
const hours = int64(Window/time.Hour) + 1

// who is a gateway, or all those that there was no room for.
type who struct {
	address core.Address
	others  bool
}

type answerKey struct {
	kind    Kind
	gateway who
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

// hour is what was asked in one hour.
type hour struct {
	number int64 // since 1970
	// lent says that a report reads it without the book's lock: it is not written to
	// any more, also when the clock goes back.
	lent     bool
	gateways map[core.Address]bool
	answers  map[answerKey]*tally
	missing  map[missingKey]*tally
	prices   map[who]*span
}

// Book counts. Its methods may be called at the same time; a nil Book counts nothing.
type Book struct {
	now   func() time.Time
	since time.Time

	mu     sync.Mutex
	hours  [hours]*hour        // guarded by mu, by number modulo the length
	totals map[totalKey]uint64 // guarded by mu, since the book was made
}

// New makes an empty book that counts from now on.
func New(now func() time.Time) *Book {
	return &Book{now: now, since: now(), totals: make(map[totalKey]uint64)}
}

// Note counts a question. It is cheap and never blocks for long.
func (b *Book) Note(q Question) {
	if b == nil {
		return
	}
	now := b.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.total(q)
	h := b.hour(now)
	gateway := h.who(q.Gateway)
	count(h.answers, answerKey{q.Kind, gateway, q.Code}, maxAnswers, now)
	if q.Missing != "" {
		count(h.missing, missingKey{q.Kind, clip(q.Missing)}, maxMissing, now)
	}
	if q.Quoted != nil || q.Expected != nil {
		h.price(gateway, &q)
	}
}

// total counts since the start. The codes are our own, so few.
func (b *Book) total(q Question) {
	key := totalKey{q.Kind, q.Code}
	if _, known := b.totals[key]; known || len(b.totals) < maxAnswers {
		b.totals[key]++
	}
}

// hour is the one of a time. The caller holds mu.
func (b *Book) hour(now time.Time) *hour {
	number := now.Unix() / int64(time.Hour/time.Second)
	at := &b.hours[number%hours]
	if *at == nil || (*at).number != number {
		*at = &hour{
			number: number, gateways: make(map[core.Address]bool), answers: make(map[answerKey]*tally),
			missing: make(map[missingKey]*tally), prices: make(map[who]*span),
		}
	}
	if (*at).lent {
		*at = (*at).clone()
	}
	return *at
}

// clone is the same hour, of which nobody else knows.
func (h *hour) clone() *hour {
	return &hour{number: h.number, gateways: maps.Clone(h.gateways), answers: cloned(h.answers), missing: cloned(h.missing), prices: cloned(h.prices)}
}

func cloned[K comparable, V any](in map[K]*V) map[K]*V {
	out := make(map[K]*V, len(in))
	for key, v := range in {
		same := *v
		out[key] = &same
	}
	return out
}

// who takes a gateway in as long as there is room.
func (h *hour) who(a core.Address) who {
	if !h.gateways[a] {
		if len(h.gateways) >= maxGateways && !a.IsZero() {
			return who{others: true}
		}
		h.gateways[a] = true
	}
	return who{address: a}
}

// count adds one, and drops what there is no room for.
func count[K comparable](in map[K]*tally, key K, most int, now time.Time) {
	t := in[key]
	if t == nil {
		if len(in) >= most {
			return
		}
		t = new(tally)
		in[key] = t
	}
	t.count++
	t.last = now
}

// clip makes a short text of one line of what a stranger asked for: it is shown on
// terminals, too.
func clip(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, s[:min(len(s), maxText)])
}
