package gateway

import (
	"context"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

const (
	// askTimeout bounds one call to check whether an orchestrator answers, maxAsked the number of
	// calls.
	askTimeout = 3 * time.Second
	maxAsked   = 32
)

// Answering returns how many orchestrators there are and whether any of them answers; known is
// false while that is unknown. On the chain it uses the registry's last answers; otherwise, and
// when none of those is good, the orchestrators are called.
func (g *Gateway) Answering(ctx context.Context) (answers bool, total int, known bool) {
	if g.opt.Network != nil {
		if answers, total, known = g.registryAnswers(); answers || !known || total == 0 {
			return answers, total, known
		}
	}
	uris, err := g.orchestrators.list(ctx)
	if len(uris) == 0 {
		return false, 0, err != nil && ctx.Err() == nil
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	for _, uri := range uris[:min(len(uris), maxAsked)] {
		wg.Go(func() {
			bounded, cancel := context.WithTimeout(ctx, askTimeout)
			defer cancel()
			_, err := g.client.Survey(bounded, uri)
			mu.Lock()
			defer mu.Unlock()
			answers = answers || err == nil || fault.CodeOf(err) == fault.OrchestratorCapped
		})
	}
	wg.Wait()
	return answers, len(uris), answers || ctx.Err() == nil
}

// registryAnswers is Answering from the registry's data. It is unknown while an orchestrator has
// not been asked yet.
func (g *Gateway) registryAnswers() (answers bool, total int, known bool) {
	all, read, _ := g.opt.Network.Snapshot()
	for i := range all {
		switch k := &all[i]; {
		case k.Problem != "":
		case k.LastAnswer.IsZero():
			return false, len(all), false
		default:
			answers = true
		}
	}
	return answers, len(all), answers || len(all) > 0 || !read.IsZero()
}
