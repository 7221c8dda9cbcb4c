package gateway

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/signature"
)

const (
	// remembered is how many segments back a stream's pushes are compared.
	remembered = 16
	// signsOfTwo signs within signsLast mean that more than one encoder pushes. A single encoder
	// that restarts causes a few.
	signsOfTwo, signsLast = 4, time.Minute
)

// encoders detects that several encoders push into one stream: different bytes arrive under the
// same number, or two addresses alternate. Their segments then replace each other, and players see
// frames of both.
type encoders struct {
	mu    sync.Mutex
	last  []pushed
	signs []time.Time
	// from are the addresses of the latest signs.
	from [2]string
}

type pushed struct {
	number core.SegmentNumber
	hash   signature.Digest
	from   string
}

// add records a segment.
func (e *encoders) add(p pushed, now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if p.number == 0 {
		e.last = nil // the stream restarts
	}
	if other, sign := e.sign(p); sign {
		e.signs = append(e.recent(now), now)
		e.signs = e.signs[max(0, len(e.signs)-signsOfTwo):]
		e.from = [2]string{other.from, p.from}
		slices.Sort(e.from[:])
	}
	if len(e.last) == remembered {
		e.last = slices.Delete(e.last, 0, 1)
	}
	e.last = append(e.last, p)
}

// sign finds an earlier segment that must be from another encoder than this one.
func (e *encoders) sign(p pushed) (other pushed, found bool) {
	for _, q := range e.last {
		if q.number == p.number && q.hash.Algorithm == p.hash.Algorithm && q.hash != p.hash {
			return q, true
		}
	}
	if n := len(e.last); n > 0 && e.last[n-1].from != p.from {
		before := slices.ContainsFunc(e.last, func(q pushed) bool { return q.from == p.from })
		return e.last[n-1], before
	}
	return pushed{}, false
}

func (e *encoders) recent(now time.Time) []time.Time {
	return slices.DeleteFunc(e.signs, func(at time.Time) bool { return now.Sub(at) > signsLast })
}

// several describes the encoders, "" while there is one.
func (e *encoders) several(now time.Time) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.signs = e.recent(now); len(e.signs) < signsOfTwo {
		return ""
	}
	if e.from[0] == e.from[1] {
		return "from " + e.from[0]
	}
	return "from " + e.from[0] + " and " + e.from[1]
}

// reportSeveralEncoders reports the streams that several encoders push into.
func (g *Gateway) reportSeveralEncoders(now time.Time) {
	if g.opt.SeveralEncoders == nil {
		return
	}
	g.mu.Lock()
	var streams []string
	for _, s := range g.streams {
		if from := s.encoders.several(now); from != "" {
			streams = append(streams, fmt.Sprintf("%s, %s", s.id, from))
		}
	}
	g.mu.Unlock()
	slices.Sort(streams)
	const named = 3
	if more := len(streams) - named; more > 0 {
		streams = append(streams[:named], fmt.Sprintf("and %d more", more))
	}
	g.opt.SeveralEncoders(strings.Join(streams, "; "))
}
