// Package web holds two pages. A gateway serves the public one: all renditions of a stream
// side by side, with statistics per segment, a chat, and the status on the chain if the
// process is also an orchestrator. The admin listener serves the operator's: the node's
// problems, its status on the chain, winning tickets, earnings and spending.
//
// Both are embedded and load nothing from other hosts. The public one uses only the
// gateway's public API and playlists; the operator's uses the admin API. cmd/tutti passes
// their handlers to the listeners.
package web

import (
	"embed"
	"encoding/json"
	"io/fs"
	"net/http"

	"github.com/tuttinode/tutti/core/adminapi"
)

//go:embed page
var files embed.FS

// policy lets the page load only its own files, and lets hls.js feed the players
// from memory.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; media-src 'self' blob:; worker-src 'self' blob:; base-uri 'none'; " +
	"form-action 'none'; frame-ancestors 'none'"

// ChainStatusPath is the path of the orchestrator's status on the chain.
const ChainStatusPath = "/chain.json"

// Handler serves the page at "/" and its files. onChain is the orchestrator's status on the
// chain, if it is known; nil off-chain.
func Handler(onChain func() (adminapi.PublicStatus, bool)) http.Handler {
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
		if r.URL.Path == ChainStatusPath {
			serveChainStatus(w, onChain)
			return
		}
		server.ServeHTTP(w, r)
	})
}

// serveChainStatus answers 204 while the status is unknown, and an empty 200 if there is no
// orchestrator on a chain: a browser would log a 404 as an error of the page.
func serveChainStatus(w http.ResponseWriter, onChain func() (adminapi.PublicStatus, bool)) {
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
	_ = json.NewEncoder(w).Encode(s) // the client may have closed the connection
}
