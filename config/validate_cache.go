package config

import "github.com/tuttinode/tutti/core/fault"

// validateCache refuses a cache that no key uses. Keys without a cache have no effect and are not refused.
func (l *loader) validateCache() {
	c := &l.config.Gateway.Cache
	if c.Age > 0 && len(c.Keys) == 0 && l.valid("aiCache", "aiCacheKeys") {
		l.reportOption(fault.BadOption, "aiCache", "no key's answers are kept",
			"name the keys: -aiCacheKeys NAME,NAME, or * for all")
	}
}
