package live_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/gateway/live"
	"github.com/tuttinode/tutti/test/livevideo"
)

const (
	machine, stranger1, stranger2 = "127.0.0.1", "127.0.0.66", "127.0.1.67"
	keyA, keyB                    = "tk-a", "tk-b"
)

// ring has two keys.
type ring struct{}

func (ring) Required() bool { return true }

func (ring) Use(_ context.Context, token, _, _ string) error {
	if token != keyA && token != keyB {
		return fault.New(fault.KeyUnknown, "use key", "")
	}
	return nil
}

// guarded is a gateway with rules for clients, whose addresses are bounded.
type guarded struct {
	*testing.T
	*gateway
	base string
	// proxied: requests come through a proxy, so that none is this machine's.
	proxied bool
}

func newGuarded(t *testing.T, mode access.Mode, change func(*live.Options)) *guarded {
	t.Helper()
	g := newGateway(t, func(o *live.Options) {
		o.Access = access.New(access.Options{Listen: ":9935", Mode: mode, Keys: ring{}})
		o.Limits.Gather = time.Minute // no pictures come
		if change != nil {
			change(o)
		}
	}, livevideo.New(t))
	gate := admission.New(admission.Options{Most: 200, PerAddress: 50, HeadersOnly: true, LocalFree: true, Now: time.Now,
		Log: slog.New(slog.DiscardHandler)})
	mux := http.NewServeMux()
	g.Register(mux)
	srv := httptest.NewUnstartedServer(mux)
	gate.Server(srv.Config, nil)
	srv.Listener = gate.Listener(srv.Listener)
	srv.Start()
	t.Cleanup(srv.Close)
	return &guarded{T: t, gateway: g, base: srv.URL + "/live/video-to-video/"}
}

// ask sends a request from an address with a key, "" for none.
func (g *guarded) ask(from, key, method, path, mime, body string) (int, string) {
	g.Helper()
	r, err := http.NewRequestWithContext(g.Context(), method, g.base+path, strings.NewReader(body))
	if err != nil {
		g.Fatal(err)
	}
	r.Header.Set("Content-Type", mime)
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	if g.proxied {
		r.Header.Set("X-Forwarded-For", "192.0.2.1")
	}
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	client := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}}
	res, err := client.Do(r)
	if err != nil {
		g.Fatal(err)
	}
	defer res.Body.Close()
	text := make([]byte, 200)
	n, _ := res.Body.Read(text)
	return res.StatusCode, string(text[:n])
}

// expect asks for one thing of a stream and wants a status.
func (g *guarded) expect(what, from, key, call string, want int) {
	g.Helper()
	var status int
	var text string
	switch name, verb, _ := strings.Cut(call, "/"); verb {
	case "whip":
		status, text = g.ask(from, key, "POST", call+"?pipeline=noop", "application/sdp", offer)
	case "start":
		form := url.Values{"source_id": {"c"}, "source_type": {"rtmpConn"}, "rtmp_url": {"rtmp://" + from + ":1/a/b"}}
		status, text = g.ask(from, key, "POST", call, "application/x-www-form-urlencoded", form.Encode())
	case "update":
		status, text = g.ask(from, key, "POST", call, "application/json", `{"prompt":"b"}`)
	case "status":
		status, text = g.ask(from, key, "GET", call, "", "")
	default:
		status, text = g.ask(from, key, "DELETE", name+"/"+verb, "", "")
	}
	if status != want {
		g.Errorf("%s, %s: %d %s", what, call, status, text)
	}
}

// rtmp publishes by another protocol than HTTP.
func (g *guarded) rtmp(from, key, name string) (*live.Publication, error) {
	g.Helper()
	p := live.Publisher{Name: name, Addr: from + ":1000", Host: "gw", Key: key, Query: url.Values{"pipeline": {"noop"}}}
	if from != machine {
		p.Unknown = netip.PrefixFrom(netip.MustParseAddr(from), 32)
	}
	return g.Publish(g.Context(), p)
}

// A live stream is its publisher's, whichever protocol it came by: neither another key nor a client without one
// replaces, changes or ends it, or reads its status. When it has ended its name is free.
func TestAStreamBelongsToItsPublisher(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, access.Open, nil)
	attack := func(what string) {
		t.Helper()
		for client, key := range map[string]string{"another key": keyB, "no key": "", "an invented key": "tk-c"} {
			for _, from := range []string{machine, stranger1} {
				for _, call := range []string{"cam/whip", "cam/start", "cam/update", "cam/status"} {
					g.expect(what+", "+client+" at "+from, from, key, call, http.StatusForbidden)
				}
				if _, err := g.rtmp(from, key, "cam"); !errors.Is(err, fault.PublishTaken) {
					t.Errorf("%s, %s at %s by RTMP: %v", what, client, from, err)
				}
				g.expect(what+", "+client, from, key, "cam/whip/0123456789abcdef", http.StatusMethodNotAllowed)
			}
		}
		if n := g.Streams(); n != 1 {
			t.Error(what, n, "streams run")
		}
	}
	g.expect("the owner", stranger1, keyA, "cam/whip", http.StatusCreated)
	attack("by WHIP")
	g.expect("the owner from elsewhere", stranger2, keyA, "cam/update", http.StatusOK)
	g.expect("the owner from elsewhere", machine, keyA, "cam/status", http.StatusOK)
	g.expect("the owner again", machine, keyA, "cam/whip", http.StatusCreated)
	pub, err := g.rtmp(stranger2, keyA, "cam")
	if err != nil {
		t.Fatal("the owner by RTMP:", err)
	}
	until(t, "the end of the replaced streams", func() bool { return g.Streams() == 1 })
	attack("by RTMP")
	pub.Close()
	g.expect("another key, at a name that is free", machine, keyB, "cam/whip", http.StatusCreated)
	g.expect("the one before", machine, keyA, "cam/status", http.StatusForbidden)
	if _, err := g.rtmp(machine, keyA, "cam"); !errors.Is(err, fault.PublishTaken) {
		t.Error("the one before, by RTMP:", err)
	}
}

// Where everyone may publish an address is a client too. It has few streams, and none that keeps a key or the own
// machine from a name.
func TestAStreamOfAnAddress(t *testing.T) {
	t.Parallel()
	g := newGuarded(t, access.Open, nil)
	for _, call := range []string{"cam/whip", "cam/update", "cam/status", "cam/whip"} {
		g.expect("an address", stranger1, "", call, map[bool]int{true: 201, false: 200}[call == "cam/whip"])
	}
	for _, call := range []string{"cam/whip", "cam/start", "cam/update", "cam/status"} {
		g.expect("another address", stranger2, "", call, http.StatusForbidden)
	}
	if _, err := g.rtmp(stranger1, "", "cam"); err != nil {
		t.Error("the address by RTMP:", err)
	}
	g.expect("the operator", machine, "", "cam/status", http.StatusOK)
	g.expect("a key", stranger2, keyA, "cam/whip", http.StatusCreated)
	g.expect("the address, then", stranger1, "", "cam/whip", http.StatusForbidden)
	until(t, "the end of the replaced streams", func() bool { return g.Streams() <= 1 })
	// Without packets from the publisher a stream ends after a while, so a slow machine has fewer of them at once.
	refused := 0
	for i := 0; i < 20 || refused == 0 && i < 200; i++ {
		if status, _ := g.ask(stranger1, "", "POST", fmt.Sprintf("spam%d/whip", i), "application/sdp", offer); status == 503 {
			refused++
		}
		if n := g.Streams(); n > 5 {
			t.Error(n, "streams of one address and one key")
		}
	}
	if _, err := g.rtmp(stranger1, "", "more"); !errors.Is(err, fault.AddressBusy) {
		t.Error("one more by RTMP:", err)
	}
	g.expect("another address", stranger2, "", "other/whip", http.StatusCreated)
	g.expect("a key at the address", stranger1, keyA, "mine/whip", http.StatusCreated)
}

// Where a service admits streams a publisher may come again from another address, because the service knows it. A
// stream that was published with a key is that key's all the same.
func TestAStreamThatAServiceAdmits(t *testing.T) {
	t.Parallel()
	hook := livevideo.NewService(t)
	hook.Answer(http.StatusOK, `{}`)
	g := newGuarded(t, access.Keys, func(o *live.Options) { o.Webhook = live.NewWebhook(hook.URL, "") })
	g.proxied = true
	g.expect("a publisher", stranger1, "", "cam/whip", http.StatusCreated)
	g.expect("the publisher, from another address", stranger2, "", "cam/whip", http.StatusCreated)
	if _, err := g.rtmp(machine, "", "cam"); err != nil {
		t.Error("the publisher, by RTMP:", err)
	}
	g.expect("the operator's application", stranger1, keyB, "cam/update", http.StatusOK)
	g.expect("the operator's application", stranger1, keyB, "cam/status", http.StatusOK)
	g.expect("a client without a key", stranger1, "", "cam/update", http.StatusUnauthorized)
	g.proxied = false
	g.expect("this machine", machine, "", "cam/whip", http.StatusCreated)
	g.proxied = true
	g.expect("the operator's application, in a stream of its media server", stranger1, keyB, "cam/update", http.StatusOK)
	g.expect("a publisher that the service lets in", stranger1, "", "cam/whip", http.StatusCreated)
	g.expect("a key", stranger1, keyA, "film/whip", http.StatusCreated)
	for _, call := range []string{"film/whip", "film/update", "film/status"} {
		g.expect("another key", stranger1, keyB, call, http.StatusForbidden)
	}
	g.expect("no key", stranger1, "", "film/whip", http.StatusForbidden)
	g.expect("the key, from another address", stranger2, keyA, "film/whip", http.StatusCreated)
	hook.Answer(http.StatusForbidden, "")
	g.expect("the key, refused by the service", stranger2, keyA, "film/whip", http.StatusForbidden)
	if _, err := g.rtmp(machine, "", "cam"); !errors.Is(err, fault.StreamDenied) {
		t.Error("refused by the service, by RTMP:", err)
	}
	hook.Answer(http.StatusOK, `{"stream_id":"one"}`)
	g.expect("an id that the service chose", stranger1, "", "x/whip", http.StatusCreated)
	g.expect("an id that the service chose twice", stranger2, "", "y/whip", http.StatusCreated)
	hook.Answer(http.StatusOK, `{}`)
	g.expect("an id that only the publisher chose", stranger1, "", "one/whip", http.StatusForbidden)
}
