package gateway

import (
	"net/http"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/gateway/hls"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/status"
)

// servePlayer serves players: playlists and segments of the windows. Pages of any origin may read
// what they have a signed address of.
func (g *Gateway) servePlayer(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "Content-Length, "+rpc.CodeHeader)
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodOptions:
		h.Set("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS")
		h.Set("Access-Control-Allow-Headers", "*")
		h.Set("Access-Control-Max-Age", "86400")
		w.WriteHeader(http.StatusNoContent)
		return
	default:
		h.Set("Allow", "GET, HEAD, OPTIONS")
		refuse(w, r, http.StatusMethodNotAllowed, fault.New(fault.RouteNotFound, "serve player", "streams are read by GET"))
		return
	}
	p, ok := parsePlayer(r.PathValue("rest"))
	if !ok {
		refuse(w, r, http.StatusNotFound, fault.New(fault.RouteNotFound, "serve player",
			"not the address of a playlist or a segment"))
		return
	}
	if p.Manifest == currentName && p.Rendition == "" && g.opt.CurrentPlaylist {
		p.Manifest = g.current()
	}
	query, err := g.opt.Access.Play(r, p.Manifest, g.opt.Now())
	if err != nil {
		h.Set("Cache-Control", "no-store")
		refuse(w, r, status.HTTP(err), err)
		return
	}
	data, kind, cache, err := g.content(p)
	if err != nil {
		h.Set("Cache-Control", "no-cache")
		refuse(w, r, http.StatusNotFound, err)
		return
	}
	if kind == hls.ContentType && query != "" {
		data = hls.WithQuery(data, query)
	}
	if r.Header.Get("Authorization") != "" {
		cache = "private, " + cache
	}
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", cache)
	h.Set("Content-Length", strconv.Itoa(len(data)))
	if r.Method == http.MethodHead {
		return
	}
	out := g.deadlineWriter(w)
	if p.Segment != "" {
		g.sendFile(out, r, data)
		return
	}
	if _, err := out.Write(data); err == nil {
		out.done()
	}
}

// sendFile sends a segment or a list of streams. The data that slow readers keep in memory after it
// was dropped elsewhere is bounded.
func (g *Gateway) sendFile(out *deadlineWriter, r *http.Request, data []byte) {
	party, _ := access.Client(r)
	d := g.downloads.Begin(party, data, out.control)
	defer d.End()
	buf := g.buffers.Get().(*fileBuffer)
	defer g.buffers.Put(buf)
	if d.Send(&pieces{out: out}, buf[:]) {
		out.done()
	}
}

// fileBuffer is the copy buffer.
type fileBuffer [32 << 10]byte

// pieces sets the deadline of deadlineWriter once per piece.
type pieces struct {
	out  *deadlineWriter
	left int
}

// Write writes within the deadline of the piece.
func (p *pieces) Write(b []byte) (int, error) {
	if p.left <= 0 {
		_ = p.out.control.SetWriteDeadline(time.Now().Add(p.out.idle))
		p.left = piece
	}
	p.left -= len(b)
	return p.out.w.Write(b)
}

// content returns the data behind a player's path, its media type and its cache lifetime.
func (g *Gateway) content(p playerPath) (data []byte, kind, cache string, err error) {
	// Playlists are outdated with the next segment; a segment never changes, but its name may be
	// reused after a restart.
	const listCache, segmentCache = "max-age=1", "max-age=5"
	switch {
	case p.Segment != "":
		data, err = g.windows.File(p.Manifest, p.Rendition, p.Segment, p.Format)
		return data, p.Format.MIME(), segmentCache, err
	case p.Rendition != "":
		data, err = g.windows.Media(p.Manifest, p.Rendition, g.opt.Now())
	default:
		data, err = g.windows.Master(p.Manifest, g.opt.Now())
	}
	return data, hls.ContentType, listCache, err
}
