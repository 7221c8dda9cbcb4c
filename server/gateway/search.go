package gateway

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

const (
	// searchAgain is how often a running stream repeats discovery while no orchestrator answers.
	searchAgain = 250 * time.Millisecond
	// searchAside is how long a slow stream waits before its next discovery.
	searchAside = 15 * time.Second
)

// search is one discovery that several segments may wait for.
type search struct {
	done   chan struct{}
	usable int
	err    error // why none was found, when none was
}

// startSearch starts a discovery unless one is running.
func (g *Gateway) startSearch(s *stream, wants *videorouting.Wants) *search {
	s.discoverMu.Lock()
	defer s.discoverMu.Unlock()
	if s.search != nil {
		return s.search
	}
	found := &search{done: make(chan struct{})}
	s.search = found
	g.wg.Go(func() {
		// Other segments wait for it too, so it does not end with the segment that began it.
		ctx, cancel := context.WithTimeout(g.ctx, g.discoveryWait.Limit())
		defer cancel()
		found.usable, found.err = g.searchRound(ctx, s, wants)
		s.discoverMu.Lock()
		s.search, s.searched = nil, g.opt.Now()
		s.discoverMu.Unlock()
		close(found.done)
	})
	return found
}

// find waits for a discovery's end.
func (g *Gateway) find(ctx context.Context, s *stream, wants *videorouting.Wants) (int, error) {
	found := g.startSearch(s, wants)
	select {
	case <-found.done:
		return found.usable, found.err
	case <-ctx.Done():
		return 0, fault.Wrap(fault.Canceled, "find orchestrators", ctx.Err())
	}
}

// searchAgainIfDue starts a discovery in the background for a stream that could do better, if the
// last one is a while ago.
func (g *Gateway) searchAgainIfDue(s *stream, wants *videorouting.Wants) {
	s.discoverMu.Lock()
	due := s.search == nil && g.opt.Now().Sub(s.searched) >= searchAside
	s.discoverMu.Unlock()
	if due {
		g.startSearch(s, wants)
	}
}

// searchRound asks all orchestrators. For a running stream it asks again while none answers: an
// orchestrator that restarts is back in seconds.
func (g *Gateway) searchRound(ctx context.Context, s *stream, wants *videorouting.Wants) (int, error) {
	again := time.NewTimer(searchAgain)
	defer again.Stop()
	for {
		uris, err := g.orchestrators.list(ctx)
		if len(uris) == 0 {
			return 0, noSessions(1, []error{err})
		}
		usable, errs := g.client.Discover(ctx, uris, wants, g.discoveryWait,
			func(f upstream.Found) bool { return g.found(s, f) })
		if usable > 0 {
			return usable, nil
		}
		if ctx.Err() != nil || !s.hasSucceeded() {
			return 0, noSessions(len(uris), errs)
		}
		again.Reset(searchAgain)
		select {
		case <-again.C:
		case <-ctx.Done():
			return 0, noSessions(len(uris), errs)
		}
	}
}

// found takes an offer, or records what is wrong with an orchestrator. It reports whether the
// stream need not wait for another one.
func (g *Gateway) found(s *stream, f upstream.Found) (good bool) {
	g.attachOwner(&f)
	why := f.Err
	if f.Err == nil {
		s.pool.Add(f.Offer, f.Info)
		// It may be chosen later: limits, prices and scores change.
		why = g.objection("", &f.Offer)
		good = why == nil && !s.pool.Suspended(f.Offer.Identity(), g.opt.Now())
	}
	if why == nil {
		if g.statuses.Change(f.Asked, "") {
			g.log.Info("orchestrator can be used", "orchestrator", f.Asked)
		}
		return good
	}
	code := fault.CodeOf(why)
	if code == fault.Canceled {
		return false // the gateway is stopping
	}
	g.opt.Recorder.DiscoveryFailed(f.Asked, string(code))
	if g.statuses.Change(f.Asked, code) {
		g.log.Warn("orchestrator cannot be used", "orchestrator", f.Asked, fault.Attr(why))
	}
	return false
}

// noSessions is the fault of a discovery that found no orchestrator, with counts of the reasons. If
// all answered and lack the same capability, the client has to change its input.
func noSessions(asked int, errs []error) error {
	counts := map[fault.Code]int{}
	for _, err := range errs {
		if err != nil {
			counts[fault.CodeOf(err)]++
		}
	}
	var parts []string
	for _, code := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s ×%d", code, counts[code]))
	}
	if lacked := videorouting.LackedByAll(errs); len(lacked) > 0 && len(errs) == asked {
		return &fault.Fault{
			Code: fault.NotOffered, Op: "find orchestrators",
			Detail: fmt.Sprintf("%s: offered by none of %d orchestrators", namesOf(lacked), asked), Err: errors.Join(errs...),
		}
	}
	return &fault.Fault{
		Code: fault.NoSessionsAvailable, Op: "find orchestrators",
		Detail: strings.Join(parts, ", "), Err: errors.Join(errs...),
	}
}

func namesOf(ids videorouting.Lacking) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = id.String()
	}
	return strings.Join(texts, ", ")
}
