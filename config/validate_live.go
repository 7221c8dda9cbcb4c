package config

import "github.com/tuttinode/tutti/core/fault"

// validateLive checks the options of live video on a gateway.
func (l *loader) validateLive() {
	g := &l.config.LiveGateway
	if _, err := HeaderList(g.HeartbeatHeaders.Reveal()); err != nil && l.valid("liveAIHeartbeatHeaders") {
		l.reportOption(fault.BadOption, "liveAIHeartbeatHeaders", err.Error(), "write name:value,name:value")
	}
	if _, ok := l.given("liveAISaveNSegments"); ok {
		g.SaveFirst = l.config.LiveAI.SaveSegments
	}
}

// Served reports whether the gateway serves live video.
func (g *LiveGateway) Served() bool {
	return g.Media.Port != 0 || !g.MediaMTXPassword.IsZero() || !g.AuthWebhook.IsZero() || !g.Heartbeat.IsZero()
}
