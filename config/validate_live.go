package config

import "github.com/tuttinode/tutti/core/fault"

// validateLive checks what belongs to live video on a gateway.
func (l *loader) validateLive() {
	g := &l.config.LiveGateway
	if _, err := HeaderList(g.HeartbeatHeaders.Reveal()); err != nil && l.valid("liveAIHeartbeatHeaders") {
		l.reportOption(fault.BadOption, "liveAIHeartbeatHeaders", err.Error(), "write name:value,name:value")
	}
	if _, ok := l.given("liveAISaveNSegments"); ok {
		g.SaveFirst = l.config.LiveAI.SaveSegments
	}
}

// validateCache refuses a cache that no key uses. Keys alone have no effect, and are no mistake.
func (l *loader) validateCache() {
	c := &l.config.Gateway.Cache
	if c.Age > 0 && len(c.Keys) == 0 && l.valid("aiCache", "aiCacheKeys") {
		l.reportOption(fault.BadOption, "aiCache", "no key's answers are kept",
			"name the keys: -aiCacheKeys NAME,NAME, or * for all")
	}
}

// Served reports whether the gateway serves live video.
func (g *LiveGateway) Served() bool {
	return g.Media.Port != 0 || !g.MediaMTXPassword.IsZero() || !g.AuthWebhook.IsZero() || !g.Heartbeat.IsZero()
}
