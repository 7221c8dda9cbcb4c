// Package camera is the demonstration's page of live video: it publishes the browser's camera, or a picture that it
// draws, to the gateway by WHIP, shows by WHEP what comes back, and counts the tickets that pay for it. The
// orchestrator that serves the stream can be killed from the page.
//
// The page's server passes the calls of live video on to the gateway, so that they come from the page's own site. It
// serves this machine alone.
package camera

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"github.com/tuttinode/tutti/server/access"
)

const (
	// Stream is the name of the page's stream.
	Stream = "camera"
	// prefix is what the gateway's addresses of live video begin with.
	prefix = "/live/video-to-video/"
	// maxStatus bounds the status of a stream.
	maxStatus = 1 << 20
)

//go:embed page
var files embed.FS

// policy lets the page load its own files alone.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"media-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Orchestrator is one of those that serve the stream in turn.
type Orchestrator struct {
	URL string `json:"url"`
	// Serving says that the stream is there, Running that its process is.
	Serving bool `json:"serving"`
	Running bool `json:"running"`
	// Tickets were sent to it for live video, worth Paid wei together.
	Tickets int64  `json:"tickets"`
	Paid    string `json:"paid"`
}

// Parties are the demonstration's processes.
type Parties interface {
	// Orchestrators lists those of live video, with what they were paid. Serving is left out.
	Orchestrators(ctx context.Context) ([]Orchestrator, error)
	// Kill ends an orchestrator's process at once, or the runner's alone. They come back.
	Kill(uri string, runner bool) error
}

// Page serves the page.
type Page struct {
	gateway string
	parties Parties
	hosts   access.Hosts
	mux     http.ServeMux
	client  *http.Client
}

// New makes the page of a gateway at a base address, for a listener on loopback.
func New(gateway, listen string, parties Parties) (*Page, error) {
	to, err := url.Parse(gateway)
	if err != nil {
		return nil, fmt.Errorf("read the gateway's address: %w", err)
	}
	page, err := fs.Sub(files, "page")
	if err != nil {
		return nil, err
	}
	p := &Page{gateway: gateway, parties: parties, hosts: access.NewHosts(listen, nil),
		client: &http.Client{Timeout: 5 * time.Second}}
	p.mux.Handle(prefix, &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }})
	p.mux.HandleFunc("GET /parties.json", p.serveParties)
	p.mux.HandleFunc("POST /kill", p.serveKill)
	p.mux.Handle("/", http.FileServerFS(page))
	return p, nil
}

// Serve serves the page until ctx ends.
func (p *Page) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	end := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer end()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// ServeHTTP answers this machine's own pages.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !p.hosts.Allow(r.Host) || access.CrossSite(r) {
		http.Error(w, "this page serves its own machine", http.StatusForbidden)
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-cache")
	p.mux.ServeHTTP(w, r)
}

func (p *Page) serveParties(w http.ResponseWriter, r *http.Request) {
	all, err := p.Parties(r.Context())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(all) // the browser may be gone
}

// Parties lists the orchestrators, and says which one the stream is at.
func (p *Page) Parties(ctx context.Context) ([]Orchestrator, error) {
	all, err := p.parties.Orchestrators(ctx)
	if err != nil {
		return nil, err
	}
	at := p.Serving(ctx)
	for i := range all {
		all[i].Serving = at != "" && all[i].URL == at
	}
	return all, nil
}

// serveKill kills the orchestrator that the stream is at, or its runner.
func (p *Page) serveKill(w http.ResponseWriter, r *http.Request) {
	at := p.Serving(r.Context())
	if at == "" {
		http.Error(w, "no orchestrator serves the stream", http.StatusConflict)
		return
	}
	if err := p.parties.Kill(at, r.URL.Query().Get("what") == "runner"); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// Serving is the address of the orchestrator that reported the stream's status last, "" before one did.
func (p *Page) Serving(ctx context.Context) string {
	at, _ := p.status(ctx)
	return at
}

// Failure is the last error of the stream, as the gateway says it.
func (p *Page) Failure(ctx context.Context) error {
	_, text := p.status(ctx)
	if text == "" {
		return nil
	}
	return fmt.Errorf("%w: %s", errStream, text)
}

var errStream = errors.New("the gateway reports an error of the stream")

// status asks the gateway for the stream's status; both are "" where it has none.
func (p *Page) status(ctx context.Context) (at, failure string) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.gateway+prefix+Stream+"/status", http.NoBody)
	if err != nil {
		return "", ""
	}
	res, err := p.client.Do(r)
	if err != nil {
		return "", "" // the page's own calls show it
	}
	defer res.Body.Close()
	var status struct {
		Orchestrator struct {
			URL string `json:"url"`
		} `json:"orchestrator_info"`
		Gateway struct {
			Error struct {
				Message string `json:"error_message"`
			} `json:"error"`
		} `json:"gateway_status"`
	}
	if res.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(res.Body, maxStatus)).Decode(&status) != nil {
		return "", ""
	}
	return status.Orchestrator.URL, status.Gateway.Error.Message
}

// Address is a WHIP or WHEP address of the page's stream at a gateway: "whip?…" or "whep".
func Address(gateway, call string) string {
	if call == "whep" {
		return gateway + prefix + Stream + "-out/whep"
	}
	return gateway + prefix + Stream + "/" + call
}
