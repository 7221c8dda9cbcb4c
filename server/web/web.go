// Package web holds the page that a gateway serves: every rendition of a stream
// playing side by side, with the figures of each segment as it arrives.
//
// The page is embedded and loads nothing from elsewhere. It reads the gateway's
// own public API and playlists; it knows nothing that a player could not know.
// cmd/tutti hands its handler to the gateway.
package web

import (
	"embed"
	"io/fs"
	"net/http"
)

//go:embed page
var files embed.FS

// policy lets the page load only its own files, and lets hls.js feed the players
// from memory.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; media-src 'self' blob:; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handler serves the page at "/" and its files beside it.
func Handler() http.Handler {
	page, err := fs.Sub(files, "page")
	if err != nil {
		panic(err) // the directory is embedded above
	}
	server := http.FileServerFS(page)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		server.ServeHTTP(w, r)
	})
}
