package gateway

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/server/gateway/answercache"
	"github.com/tuttinode/tutti/server/gateway/guards"
	"github.com/tuttinode/tutti/server/metrics"
)

// newGuards makes the guards of -aiGuards, nil for none.
func (p *Part) newGuards(c *config.Config) (*guards.Guards, error) {
	if c.Gateway.AIGuards == "" {
		return nil, nil
	}
	specs, err := guards.ReadFile(c.Gateway.AIGuards)
	if err != nil {
		return nil, err
	}
	return guards.New(specs, p.Log), nil
}

// replaceGuards takes over the file of guards. Requests that run keep theirs; answers that the ones before checked are
// not given again.
func (p *Part) replaceGuards(_ context.Context, _, next *config.Config) (func(), error) {
	g, err := p.newGuards(next)
	if err != nil {
		return nil, err
	}
	return func() {
		if p.guards.Replace(g) {
			p.cache.Clear()
		}
	}, nil
}

// newCache makes the cache of -aiCache, nil for none.
func (p *Part) newCache() *answercache.Cache {
	c := &p.Config.Gateway.Cache
	if c.Age == 0 {
		return nil
	}
	return answercache.New(answercache.Options{Age: c.Age, Bytes: int64(c.Memory), Keys: c.Keys, Now: time.Now})
}

// guardChecks are what guards did, for the metrics.
func (p *Part) guardChecks() (out []metrics.GuardChecks) {
	for _, c := range p.guards.Counts() {
		one := metrics.GuardChecks{Guard: c.Guard, Stage: string(c.Stage), Results: make(map[string]int64, len(c.Outcomes)),
			Seconds: c.Seconds, Within: c.Within, Number: c.Number}
		for how, n := range c.Outcomes {
			one.Results[string(how)] = n
		}
		out = append(out, one)
	}
	return out
}

// cacheStats are what the cache of answers holds and did, for the metrics.
func (p *Part) cacheStats() metrics.AnswerCache { return metrics.AnswerCache(p.cache.Stats()) }
