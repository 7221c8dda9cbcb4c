// Package web holds two pages. A gateway serves the one for everybody: every
// rendition of a stream playing side by side, with the figures of each segment as it
// arrives, a chat, and, where the process is an orchestrator on the chain too, its
// place there. The admin listener serves the operator's: the node's troubles, its
// place on the chain, each winning ticket's life, earnings and spending.
//
// Both are embedded and load nothing from elsewhere. The public one reads the
// gateway's own public API and playlists, and knows nothing that a player could not
// know; the operator's reads the admin API and changes nothing. cmd/tutti hands their
// handlers to the listeners.
package web

import (
	"embed"
	"encoding/json"
	"io/fs"
	"net/http"

	"github.com/tuttinode/tutti/core/orchestratorstatus"
)

//go:embed page
var files embed.FS

// policy lets the page load only its own files, and lets hls.js feed the players
// from memory.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; media-src 'self' blob:; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// StandingPath is where the page finds the node's place on the chain.
const StandingPath = "/chain.json"

// Handler serves the page at "/" and its files beside it. onChain is the node's
// place on the chain as far as it is known; nil off-chain.
func Handler(onChain func() (orchestratorstatus.Status, bool)) http.Handler {
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
		if r.URL.Path == StandingPath {
			serveStanding(w, onChain)
			return
		}
		server.ServeHTTP(w, r)
	})
}

// serveStanding answers 204 while nothing is known of the chain, and an empty 200 where
// there is no orchestrator on a chain: a browser reports a 404 as an error of the page.
func serveStanding(w http.ResponseWriter, onChain func() (orchestratorstatus.Status, bool)) {
	if onChain == nil {
		w.WriteHeader(http.StatusOK)
		return
	}
	s, known := onChain()
	if !known {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(s) // nobody to tell
}
