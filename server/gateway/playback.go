package gateway

import (
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/status"
)

// PlaybackReply is the JSON of POST /api/streams/{id}/playback.
type PlaybackReply struct {
	// Playlist is the master playlist's path with a signature that permits playback without a key
	// until Expires.
	Playlist string    `json:"playlist"`
	Expires  time.Time `json:"expires"`
}

// servePlayback answers with a signed playback URL. The stream need not have started.
func (g *Gateway) servePlayback(w http.ResponseWriter, r *http.Request) {
	if _, err := g.opt.Access.Streams(r); err != nil {
		refuse(w, r, status.HTTP(err), err)
		return
	}
	id := r.PathValue("id")
	if !validManifest(id) {
		refuse(w, r, http.StatusNotFound, fault.New(fault.RouteNotFound, "sign a playback URL", "not a valid stream name"))
		return
	}
	lifetime, err := readLifetime(r.URL.Query().Get("lifetime"))
	if err != nil {
		refuse(w, r, status.HTTP(err), err)
		return
	}
	reply := PlaybackReply{Playlist: "/stream/" + id + ".m3u8",
		Expires: g.opt.Now().Add(lifetime).UTC().Truncate(time.Second)}
	if query, ok := g.opt.Access.Link(core.ManifestID(id), reply.Expires); ok {
		reply.Playlist += "?" + query
	}
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, http.StatusOK, reply)
}

// readLifetime parses the lifetime of a signed URL; "" is the default.
func readLifetime(text string) (time.Duration, error) {
	if text == "" {
		return access.DefaultLifetime, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < time.Second || d > access.MaxLifetime {
		return 0, fault.New(fault.PlaybackLifetime, "sign a playback URL", "the lifetime has to be from 1s to 168h")
	}
	return d, nil
}

// signAll signs the playlists in a stream's entry, for a page that plays them without the key. The
// signatures change once an hour only, because a player restarts when its URL changes.
func (g *Gateway) signAll(s *StreamReply) {
	expires := g.opt.Now().Truncate(time.Hour).Add(access.DefaultLifetime + time.Hour)
	query, ok := g.opt.Access.Link(core.ManifestID(s.ID), expires)
	if !ok {
		return
	}
	sign := func(path *string) { *path += "?" + query }
	sign(&s.Playlist)
	sign(&s.Source.Playlist)
	for i := range s.Renditions {
		sign(&s.Renditions[i].Playlist)
	}
}
