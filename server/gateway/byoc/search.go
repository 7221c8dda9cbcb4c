package byoc

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/live"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// Headers with which clients change how long orchestrators may take to name their terms, as Go durations.
const (
	searchHeader = "Livepeer-Orch-Search-Timeout"
	askHeader    = "Livepeer-Orch-Search-Resp-Timeout"
	// maxSearch bounds both.
	maxSearch = 10 * time.Second
)

// searchTimes are how long all orchestrators, and each of them, may take to name their terms.
type searchTimes struct{ all, each time.Duration }

// timesOf reads what a client asks for, within bounds.
func (s *Server) timesOf(h http.Header) searchTimes {
	read := func(name string, usual time.Duration) time.Duration {
		if d, err := time.ParseDuration(h.Get(name)); err == nil && d > 0 {
			return min(d, maxSearch)
		}
		return usual
	}
	return searchTimes{read(searchHeader, s.o.Limits.Search), read(askHeader, s.o.Limits.Ask)}
}

// search asks all orchestrators for their terms, and lists those with a free slot in the order of their answers, those
// above the price limits last. The error is a fault.
func (s *Server) search(ctx context.Context, j *job, times searchTimes) ([]*upstream.CapabilityTerms, error) {
	const op = "look for a capability"
	uris, err := s.o.Orchestrators(ctx)
	if err != nil && len(uris) == 0 {
		return nil, fault.Wrap(fault.NoOrchestratorReachable, op, err)
	}
	ctx, cancel := context.WithTimeout(ctx, times.all)
	defer cancel()
	var wg sync.WaitGroup
	var mu sync.Mutex
	var found []*upstream.CapabilityTerms
	var errs []error
	answered := 0
	slots := make(chan struct{}, s.o.Limits.Asked)
	for _, uri := range uris {
		if !j.allows(uri) {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{} // each call ends with ctx
			defer func() { <-slots }()
			one, stop := context.WithTimeout(ctx, times.each)
			defer stop()
			t, err := s.o.Client.AskCapability(one, uri, j.capability)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				errs = append(errs, err)
			case t.Capacity > 0:
				found = append(found, t)
			default:
				answered++
			}
		})
	}
	wg.Wait()
	switch {
	case len(found) > 0:
		slices.SortStableFunc(found, func(a, b *upstream.CapabilityTerms) int {
			return live.Cheaper(a.Expensive(), b.Expensive())
		})
		return found, nil
	case answered > 0, len(errs) == 0 && len(uris) > 0:
		return nil, fault.New(fault.CapabilityNotOffered, op, "no orchestrator has a free slot for it")
	}
	s.o.Log.Debug("no orchestrator answers about a capability", "err", errors.Join(errs...))
	return nil, &fault.Fault{Code: fault.NoOrchestratorReachable, Op: op, Err: errors.Join(errs...)}
}
