package gateway

import (
	"time"

	"github.com/tuttinode/tutti/server/gateway/answercache"
	"github.com/tuttinode/tutti/server/gateway/guards"
)

// newGuards makes the guards of -aiGuards, nil for none.
func (p *Part) newGuards() (*guards.Guards, error) {
	if p.Config.Gateway.AIGuards == "" {
		return nil, nil
	}
	specs, err := guards.ReadFile(p.Config.Gateway.AIGuards)
	if err != nil {
		return nil, err
	}
	return guards.New(specs, p.Log), nil
}

// newCache makes the cache of -aiCache, nil for none.
func (p *Part) newCache() *answercache.Cache {
	c := &p.Config.Gateway.Cache
	if c.Age == 0 {
		return nil
	}
	return answercache.New(answercache.Options{Age: c.Age, Bytes: int64(c.Memory), Keys: c.Keys, Now: time.Now})
}
