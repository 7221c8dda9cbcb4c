package gateway

import (
	"time"

	"github.com/tuttinode/tutti/core"
)

// lingerTime is how long players may read a stream after its end.
const lingerTime = 10 * time.Second

// sweep ends streams that had no segment for their time, and forgets ended ones.
func (g *Gateway) sweep(now time.Time) {
	var idle []*stream
	var gone []core.ManifestID
	g.mu.Lock()
	for key, s := range g.streams {
		// Under g.mu nobody can enter it between the look and the removal.
		if s.idle(now) {
			delete(g.streams, key)
			g.leftStream(s)
			g.lingering[s.id] = now.Add(lingerTime)
			g.windows.End(s.id)
			idle = append(idle, s)
		}
	}
	for id, until := range g.lingering {
		if !now.Before(until) {
			delete(g.lingering, id)
			gone = append(gone, id)
		}
	}
	n := len(g.streams)
	// Within the lock, as above, lest a stream that begins anew just now loses its
	// window.
	for _, id := range gone {
		g.windows.Remove(id)
	}
	g.mu.Unlock()
	for _, s := range idle {
		g.endStream(s)
	}
	if len(idle) > 0 {
		g.opt.Recorder.Sessions(n, g.opt.Limits.Streams)
	}
}

// endStream says goodbye to the stream's orchestrator and watchers.
func (g *Gateway) endStream(s *stream) {
	g.endAll(s.pool.Close())
	s.feed.end()
	g.opt.Recorder.StreamEnded(s.id)
	g.log.Info("stream ended", "job", s.id)
}

// leftStream gives a stream's place back. The caller holds g.mu.
func (g *Gateway) leftStream(s *stream) {
	if s.from.IsValid() {
		g.unchecked--
		g.strangers.Leave(s.from)
	}
}
