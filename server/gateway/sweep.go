package gateway

import (
	"time"

	"github.com/tuttinode/tutti/core"
)

// endedStreamTime is how long players may read a stream after its end.
const endedStreamTime = 10 * time.Second

// sweep ends streams without recent segments, and drops ended ones.
func (g *Gateway) sweep(now time.Time) {
	var idle []*stream
	var gone []core.ManifestID
	g.mu.Lock()
	for key, s := range g.streams {
		// Under g.mu no push can enter it between the check and the removal.
		if s.idle(now) {
			delete(g.streams, key)
			g.releaseStreamLocked(s)
			g.endedUntil[s.id] = now.Add(endedStreamTime)
			g.windows.End(s.id)
			idle = append(idle, s)
		}
	}
	for id, until := range g.endedUntil {
		if !now.Before(until) {
			delete(g.endedUntil, id)
			gone = append(gone, id)
		}
	}
	n := len(g.streams)
	// Under the lock too, so that a stream that begins now does not lose its window.
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

// endStream ends the stream's sessions at orchestrators and its event streams.
func (g *Gateway) endStream(s *stream) {
	g.endAll(s.pool.Close())
	s.feed.end()
	g.opt.Recorder.StreamEnded(s.id)
	g.log.Info("stream ended", "job", s.id)
}

// releaseStreamLocked gives a stream's slot back. The caller holds g.mu.
func (g *Gateway) releaseStreamLocked(s *stream) {
	if s.party.from.IsValid() {
		g.uncheckedStreams.Leave(s.party.from)
	} else {
		g.checkedStreams.leave(s.party.key)
	}
}
