package manager_test

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/core/fetchurl"
)

// site is a web server on an address of the loopback that a test's fetcher may dial,
// as if it were public, besides one on the same port that it may not, with a name
// server that knows both.
type site struct {
	mux *http.ServeMux
	// listener is its address, port the port of it; inside is the host that may not be
	// dialed.
	listener, port, inside string
	resolver               *net.Resolver
}

const outside = "127.0.0.2"

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{mux: http.NewServeMux(), inside: "127.0.0.1"}
	first, second := s.listen(t)
	for _, l := range []net.Listener{first, second} {
		server := httptest.NewUnstartedServer(s.mux)
		_ = server.Listener.Close()
		server.Listener = l
		server.Start()
		t.Cleanup(server.Close)
	}
	s.resolver = resolver(t, s.inside)
	return s
}

// listen takes a port on both addresses.
func (s *site) listen(t *testing.T) (first, second net.Listener) {
	t.Helper()
	for range 20 {
		first, err := net.Listen("tcp", outside+":0")
		if err != nil {
			t.Skip("the system has no second loopback address")
		}
		s.listener = first.Addr().String()
		_, s.port, _ = net.SplitHostPort(s.listener)
		if second, err := net.Listen("tcp", s.inside+":"+s.port); err == nil {
			return first, second
		}
		_ = first.Close() // another test has the port
	}
	t.Fatal("no port is free on both addresses")
	return nil, nil
}

// silent is the site behind a server that takes connections and says nothing.
func (s *site) silent(t *testing.T) *site {
	t.Helper()
	l, err := net.Listen("tcp", outside+":0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return s.behind(l)
}

// behind is the site with another server.
func (s *site) behind(l net.Listener) *site {
	out := *s
	out.listener = l.Addr().String()
	_, out.port, _ = net.SplitHostPort(out.listener)
	return &out
}

// tls is the site behind a certificate for names in example.com.
func (s *site) tls(t *testing.T) *site {
	t.Helper()
	l, err := net.Listen("tcp", outside+":0")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(s.mux)
	_ = server.Listener.Close()
	server.Listener = l
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // a client that hangs up
	server.StartTLS()
	t.Cleanup(server.Close)
	return s.behind(l)
}

// url is an address at the site's public name.
func (s *site) url(path string) string { return s.at("images.example.com", path) }

func (s *site) at(name, path string) string { return "http://" + name + ":" + s.port + path }

// fetcher may dial the site, and what is public.
func (s *site) fetcher(o manager.PictureOptions) *manager.PictureFetcher {
	o.Resolver = s.resolver
	o.Dial = permitting(netip.MustParseAddrPort(s.listener), fetchurl.PublicOnly)
	return manager.NewPictureFetcher(o)
}

// resolver asks a name server of its own: images.example.com and .org are outside,
// inside.example.com inside, and rebinding.example.com outside at the lookup
// the first time and inside from then on. For silent.example.com there is no answer.
func resolver(t *testing.T, inside string) *net.Resolver {
	t.Helper()
	l, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	names := &pictureNames{inside: netip.MustParseAddr(inside).As4()}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 1500)
		for {
			n, from, err := l.ReadFrom(buf)
			if err != nil {
				return
			}
			if text := names.answer(buf[:n]); text != nil {
				_, _ = l.WriteTo(text, from)
			}
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		c, err := d.DialContext(ctx, "udp", l.LocalAddr().String())
		if err == nil {
			// The system's resolver waits for up to 5 s, which is no matter of these tests.
			context.AfterFunc(ctx, func() { _ = c.Close() })
		}
		return c, err
	}}
}

type pictureNames struct {
	inside  [4]byte
	mu      sync.Mutex
	rebound bool // guarded by mu
}

func (n *pictureNames) lookUp(name string) (ip [4]byte, ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch name {
	case "images.example.com.", "images.example.org.":
		return netip.MustParseAddr(outside).As4(), true
	case "inside.example.com.":
		return n.inside, true
	case "rebinding.example.com.":
		if !n.rebound {
			n.rebound = true
			return netip.MustParseAddr(outside).As4(), true
		}
		return n.inside, true
	}
	return ip, false
}

func (n *pictureNames) answer(query []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(query) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	if q.Name.String() == "silent.example.com." {
		return nil
	}
	m.Response, m.Additionals = true, nil
	if q.Type == dnsmessage.TypeA {
		if ip, ok := n.lookUp(q.Name.String()); ok {
			m.Answers = []dnsmessage.Resource{{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
				Body:   &dnsmessage.AResource{A: ip},
			}}
		} else {
			m.RCode = dnsmessage.RCodeNameError
		}
	}
	out, _ := m.Pack()
	return out
}
