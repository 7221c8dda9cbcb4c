package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/status"
)

// eventBeat is the interval of keep-alive events in a quiet stream.
const eventBeat = 15 * time.Second

// serveEvents sends a stream's events: one "segment" for each recent and each new segment, "end"
// when the stream ends. Each carries SegmentStats.
func (g *Gateway) serveEvents(w http.ResponseWriter, r *http.Request) {
	id := core.ManifestID(r.PathValue("id"))
	if _, err := g.opt.Access.Play(r, id, g.opt.Now()); err != nil {
		refuse(w, r, status.HTTP(err), err)
		return
	}
	s := g.streamByID(id)
	if s == nil {
		refuse(w, r, http.StatusNotFound, fault.New(fault.StreamNotFound, "follow stream", "no such stream is live"))
		return
	}
	from := admission.NetworkOf(r.RemoteAddr)
	if !g.watchers.Enter(from) {
		refuse(w, r, http.StatusServiceUnavailable, fault.New(fault.WatchersFull, "follow stream",
			"too many clients follow events"))
		return
	}
	defer g.watchers.Leave(from)
	past, events, stop := s.feed.watch()
	defer stop()
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	out := g.deadlineWriter(w)
	send := func(kind string, data []byte) bool {
		if _, err := g.opt.Access.Play(r, id, g.opt.Now()); refusesViewer(err) {
			return false // a key was revoked, or a signed address has expired
		}
		_, err := fmt.Fprintf(out, "event: %s\ndata: %s\n\n", kind, data)
		return err == nil && out.control.Flush() == nil
	}
	for _, f := range past {
		b, err := json.Marshal(f)
		if err != nil || !send("segment", b) {
			return
		}
	}
	beat := time.NewTicker(eventBeat)
	defer beat.Stop()
	_ = out.control.Flush()
	for {
		select {
		case b, ok := <-events:
			if !ok {
				send("end", []byte("{}"))
				return
			}
			if !send("segment", b) {
				return
			}
		case <-beat.C:
			if !send("beat", []byte("{}")) {
				return
			}
		case <-r.Context().Done():
			return
		case <-g.stopping:
			return
		}
	}
}

// refusesViewer reports whether an error of access.Policy.Play is about the viewer. A webhook that fails, and limits of
// a key, end nothing that goes on.
func refusesViewer(err error) bool {
	if err == nil {
		return false
	}
	class := fault.ClassOf(err)
	return class == fault.Unauthenticated || class == fault.Forbidden
}

// streamByID finds a live stream by its ID for players.
func (g *Gateway) streamByID(id core.ManifestID) *stream {
	for _, s := range g.liveStreams() {
		if s.id == id {
			return s
		}
	}
	return nil
}
