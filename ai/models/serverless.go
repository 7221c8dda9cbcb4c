package models

import (
	"net/url"
	"strings"

	"github.com/tuttinode/tutti/core/capability"
)

// Serverless reports whether the entry's runner is a WebSocket server elsewhere.
func (e *Entry) Serverless() bool { return isWebSocket(e.URL) }

// Serverless is the entry whose runner is a WebSocket server; nil where there is none.
func (c *Config) Serverless() *Entry {
	for i := range c.Entries {
		if c.Entries[i].Serverless() {
			return &c.Entries[i]
		}
	}
	return nil
}

func isWebSocket(address string) bool {
	return strings.HasPrefix(address, "ws://") || strings.HasPrefix(address, "wss://")
}

// mayUseWebSocket reports whether the entry's runner may be a WebSocket server.
func (d *draft) mayUseWebSocket(u *url.URL) bool {
	return isWebSocket(u.String()) && d.l.options.Serverless && d.pipeline.Capability == capability.LiveVideoToVideo
}

// onlyServerless reports whether no entry before this one was another serverless model.
func (d *draft) onlyServerless() bool {
	if d.l.serverless == "" {
		d.l.serverless = d.entry.Model.ID
	}
	return d.l.serverless == d.entry.Model.ID
}
