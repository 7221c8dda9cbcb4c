package manager_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/core/fault"
)

// png is the beginning of an image; the rest is never looked at.
var png = []byte("\x89PNG\r\n\x1a\n and more")

// sends is a handler that sends an image, or whatever is called one.
func sends(kind string, data []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(data)
	}
}

func TestPicturesAreFetched(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	asked := make(chan http.Header, 2)
	s.mux.HandleFunc("/a", func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Header.Clone()
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		http.Redirect(w, r, "/b?c=d", http.StatusFound)
	})
	s.mux.HandleFunc("/b", func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Header.Clone()
		sends("image/jpeg", png)(w, r)
	})
	s.mux.HandleFunc("/gif", sends("image/gif; x=y", []byte("GIF89a and more")))
	f := s.fetcher(manager.PictureOptions{Version: "1.2.3"})
	b, err := f.Fetch(t.Context(), "a", []string{s.url("/a"), s.url("/gif")})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Release()
	got := string(b.Images[0].AppendURL(nil))
	if !strings.HasPrefix(got, "data:image/png;base64,iVBORw0KGgo") || len(got) != b.Images[0].URLBytes() {
		t.Errorf("%s", got)
	}
	if p := b.Images[1]; p.Type != "image/gif" || !bytes.HasPrefix(p.Data, []byte("GIF89a")) {
		t.Errorf("%+v", p)
	}
	for range 2 {
		h := <-asked
		for name := range h {
			if name != "Accept" && name != "User-Agent" && name != "Connection" {
				t.Errorf("%s: %s is sent", name, h.Get(name))
			}
		}
		if h.Get("User-Agent") != "tutti/1.2.3" {
			t.Errorf("User-Agent %q", h.Get("User-Agent"))
		}
	}
}

func TestPicturesThatFail(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	large := append(bytes.Clone(png), make([]byte, manager.MaxPictureRequestBytes/2)...)
	s.mux.HandleFunc("/large", sends("image/png", large))
	s.mux.HandleFunc("/huge", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		w.Header().Set("Content-Length", "1000000000000")
	})
	s.mux.HandleFunc("/page", sends("text/html", []byte("<html>")))
	s.mux.HandleFunc("/liar", sends("image/png", []byte("<html>")))
	s.mux.HandleFunc("/svg", sends("image/svg+xml", []byte("<svg>")))
	s.mux.HandleFunc("/shy", sends("text/plain", png))
	s.mux.HandleFunc("/empty", sends("image/png", nil))
	s.mux.HandleFunc("/short", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write(png)
	})
	s.mux.HandleFunc("/round", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/round", http.StatusFound)
	})
	f := s.fetcher(manager.PictureOptions{})
	for _, c := range []struct {
		paths string
		code  fault.Code
		says  string
	}{
		{"/missing?key=secret", fault.PictureNotFetched,
			`image 1 (host "images.example.com"): the server answered 404`},
		{"/round?key=secret", fault.PictureNotFetched, `redirects more than 3 times`},
		{"/short", fault.PictureNotFetched, "broke off"},
		{"/page", fault.PictureUnreadable, "no PNG, JPEG, WebP or GIF"},
		{"/liar", fault.PictureUnreadable, "no PNG, JPEG, WebP or GIF"},
		{"/svg", fault.PictureUnreadable, "no PNG, JPEG, WebP or GIF"},
		{"/shy", fault.PictureUnreadable, "no PNG, JPEG, WebP or GIF"},
		{"/empty", fault.PictureUnreadable, "no PNG, JPEG, WebP or GIF"},
		{"/huge", fault.PicturesTooLarge, "more than 20 MB together"},
		{"/large /large /large", fault.PicturesTooLarge, "more than 20 MB together"},
		{strings.Repeat("/large ", 9), fault.PicturesTooLarge, "names 9 images to be fetched, at most 8 are"},
	} {
		var addresses []string
		for _, path := range strings.Fields(c.paths) {
			addresses = append(addresses, s.url(path))
		}
		_, err := f.Fetch(t.Context(), "a", addresses)
		_, text := fault.Public(err)
		if !errors.Is(err, c.code) || !strings.Contains(text, c.says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", c.paths, err)
		}
	}
	_, err := f.Fetch(t.Context(), "a", []string{s.url("/large"), "https://unknown.example.com/a?key=secret"})
	if _, text := fault.Public(err); text != `image 2 (host "unknown.example.com"): the host is not found` {
		t.Error(err)
	}
}

// Nothing but public addresses is connected to, and they are looked at when they are
// dialed: not names, not redirections, not a name that changes its mind.
func TestPrivateAddressesAreNotDialed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for path, to := range map[string]string{
		"/loopback": "http://127.0.0.1:" + s.port + "/canary?key=secret",
		"/local":    "http://localhost:" + s.port + "/canary",
		"/named":    s.at("inside.example.com", "/canary"),
		"/file":     "file:///etc/passwd",
		"/user":     "http://a:b@images.example.com/x",
		"/rebound":  s.at("rebinding.example.com", "/canary"),
	} {
		s.mux.HandleFunc(path, func(w http.ResponseWriter,
			r *http.Request) {
			http.Redirect(w, r, to, http.StatusFound)
		})
	}
	s.mux.HandleFunc("/canary", func(http.ResponseWriter, *http.Request) { t.Error("the canary was asked") })
	// A name that is permitted when it is looked up for the first time, and leads
	// inside from then on.
	s.mux.HandleFunc("/first", sends("image/png", png))
	f := s.fetcher(manager.PictureOptions{})
	if b, err := f.Fetch(t.Context(), "a", []string{s.at("rebinding.example.com", "/first")}); err != nil {
		t.Error(err)
	} else {
		b.Release()
	}
	for _, address := range []string{
		s.at("rebinding.example.com", "/canary"), s.at("inside.example.com", "/canary"),
		s.url("/loopback"), s.url("/local"), s.url("/named"), s.url("/file"), s.url("/user"), s.url("/rebound"),
		"http://127.0.0.1:" + s.port + "/canary", "file:///etc/passwd",
	} {
		_, err := f.Fetch(t.Context(), "a", []string{address})
		_, text := fault.Public(err)
		// Where a name leads to is for the log alone.
		tells := strings.Contains(address, "inside") && strings.Contains(text, s.inside)
		if !errors.Is(err, fault.RequestURLRefused) || tells || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// A server whose certificate is for another name may be any machine in between.
func TestCertificates(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the system takes no root certificates from a file")
	}
	s := newSite(t).tls(t)
	s.mux.HandleFunc("/a", sends("image/png", png))
	f := s.fetcher(manager.PictureOptions{})
	b, err := f.Fetch(t.Context(), "a", []string{"https://images.example.com:" + s.port + "/a?key=secret"})
	if err != nil {
		t.Fatal(err)
	}
	b.Release()
	_, err = f.Fetch(t.Context(), "a", []string{"https://images.example.org:" + s.port + "/a?key=secret"})
	_, text := fault.Public(err)
	const want = `image 1 (host "images.example.org"): the server's certificate is not valid`
	if text != want || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
}

// As it is used, nothing but the web's ports of public addresses is dialed.
func TestPortsOfTheWeb(t *testing.T) {
	t.Parallel()
	f := manager.NewPictureFetcher(manager.PictureOptions{})
	_, err := f.Fetch(t.Context(), "a", []string{"http://1.1.1.1:8080/a.png"})
	_, text := fault.Public(err)
	if !errors.Is(err, fault.RequestURLRefused) || !strings.Contains(text, "port 8080 is neither 80 nor 443") {
		t.Error(err)
	}
}

func TestProxiesAreNotUsed(t *testing.T) {
	s := newSite(t)
	proxy := newSite(t)
	proxy.mux.HandleFunc("/", func(http.ResponseWriter, *http.Request) { t.Error("a proxy was asked") })
	t.Setenv("HTTP_PROXY", "http://"+proxy.listener)
	t.Setenv("ALL_PROXY", "http://"+proxy.listener)
	s.mux.HandleFunc("/a", sends("image/png", png))
	b, err := s.fetcher(manager.PictureOptions{}).Fetch(t.Context(), "a", []string{s.url("/a")})
	if err != nil {
		t.Fatal(err)
	}
	b.Release()
}

func TestSlowServers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.mux.HandleFunc("/never", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	s.mux.HandleFunc("/stalled", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write(append(bytes.Clone(png), make([]byte, 4096)...))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	f := s.fetcher(manager.PictureOptions{Time: time.Second}) // a busy machine connects within it
	longCtx, end := context.WithTimeout(t.Context(), 20*time.Second)
	defer end()
	for _, path := range []string{"/never", "/stalled"} {
		_, err := f.Fetch(longCtx, "a", []string{s.url(path)})
		if _, text := fault.Public(err); !errors.Is(err, fault.PictureNotFetched) ||
			!strings.Contains(text, "within 1s") {
			t.Errorf("%s: %v", path, err)
		}
	}
	// Nothing goes on afterwards: main looks for what is left.
	_, err := f.Fetch(longCtx, "a", []string{s.at("silent.example.com", "/")})
	if !errors.Is(err, fault.PictureNotFetched) {
		t.Error(err)
	}
	silent := s.silent(t)
	shortTimeout := silent.fetcher(manager.PictureOptions{Time: 50 * time.Millisecond})
	_, err = shortTimeout.Fetch(longCtx, "a", []string{"https://images.example.com:" + silent.port + "/"})
	if !errors.Is(err, fault.PictureNotFetched) {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = s.fetcher(manager.PictureOptions{}).Fetch(ctx, "a", []string{s.url("/never")})
	if !errors.Is(err, fault.DeadlineExceeded) {
		t.Error(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := f.Fetch(ctx, "a", []string{s.url("/never")}); !errors.Is(err, fault.Canceled) {
		t.Error(err)
	}
}

// All requests together have their memory, and give it back however they end.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.mux.HandleFunc("/a", sends("image/png", append(bytes.Clone(png), make([]byte, 1000)...)))
	s.mux.HandleFunc("/missing", http.NotFound)
	f := s.fetcher(manager.PictureOptions{HeldBytes: 2500})
	for range 3 {
		_, err := f.Fetch(t.Context(), "a", []string{s.url("/a"), s.url("/missing")})
		if !errors.Is(err, fault.PictureNotFetched) {
			t.Error(err)
		}
		held, err := f.Fetch(t.Context(), "a", []string{s.url("/a"), s.url("/a")})
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Fetch(t.Context(), "a", []string{s.url("/a")})
		if !errors.Is(err, fault.JobsFull) || !fault.Retryable(err) {
			t.Error(err)
		}
		held.Release()
		held.Release()
	}
}

// A party whose requests run for long leaves memory to others. Alone it is not held up.
func TestOnePartyLeavesMemory(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	picture := append(bytes.Clone(png), make([]byte, 1000)...)
	s.mux.HandleFunc("/a", sends("image/png", picture))
	f := s.fetcher(manager.PictureOptions{HeldBytes: 10 * int64(len(picture))})
	var held []*manager.PictureBatch
	fetch := func(party string, n int) (err error) {
		addresses := make([]string, n)
		for i := range addresses {
			addresses[i] = s.url("/a")
		}
		b, err := f.Fetch(t.Context(), party, addresses)
		if err == nil {
			held = append(held, b)
		}
		return err
	}
	for i := range 5 {
		if err := fetch("a", 1); err != nil {
			t.Errorf("request %d of a party alone: %v", i, err)
		}
	}
	if err := fetch("a", 1); !errors.Is(err, fault.JobsFull) {
		t.Errorf("more than half for one party: %v", err)
	}
	if err := fetch("b", 4); err != nil {
		t.Errorf("another party: %v", err)
	}
	if err := fetch("c", 1); err != nil {
		t.Errorf("a third party: %v", err)
	}
	for _, b := range held {
		b.Release()
	}
	if err := fetch("a", 8); err != nil {
		t.Errorf("a single request after all: %v", err)
	}
	held[len(held)-1].Release()
}

// control is what a dialer asks.
type control = func(network, address string, c syscall.RawConn) error

// permitting dials a site's own server besides what others permit.
func permitting(allowed netip.AddrPort, others control) control {
	return func(network, address string, c syscall.RawConn) error {
		if address == allowed.String() {
			return nil
		}
		return others(network, address, c)
	}
}
