package web

import (
	"embed"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/tuttinode/tutti/core/adminapi"
)

//go:embed operator
var operatorFiles embed.FS

// operatorPolicy lets the operator's page load only its own files and call only its own
// listener.
const operatorPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// shared returns the files that the operator's page shares with the gateway's.
func shared() []string { return []string{"page/style.css", "page/chain.js"} }

// OperatorPages returns the handlers of the operator's page by their patterns, for the admin
// listener: "/" and its files, and the orchestrator's status on the chain, empty if onChain
// is nil. The page only sends GET requests to the admin API, except for actions with the
// token.
func OperatorPages(onChain func() (adminapi.PublicStatus, bool)) map[string]http.Handler {
	pages := make(map[string]http.Handler)
	err := fs.WalkDir(operatorFiles, "operator", func(name string, f fs.DirEntry, err error) error {
		if err == nil && !f.IsDir() {
			pages["GET /"+strings.TrimPrefix(name, "operator/")] = operatorFile(operatorFiles, name)
		}
		return err
	})
	if err != nil {
		panic(err) // the directory is embedded above
	}
	for _, name := range shared() {
		pages["GET /"+path.Base(name)] = operatorFile(files, name)
	}
	pages["GET /{$}"] = operatorFile(operatorFiles, "operator/operator.html")
	pages["GET "+ChainStatusPath] = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		serveChainStatus(w, onChain)
	})
	return pages
}

// operatorFile serves one file.
func operatorFile(from embed.FS, name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", operatorPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		http.ServeFileFS(w, r, from, name)
	})
}
