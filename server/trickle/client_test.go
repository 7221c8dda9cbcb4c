package trickle_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/trickle"
)

// clientRig is a server of channels, behind a handler that may interfere.
type clientRig struct {
	hub    *trickle.Hub
	url    string
	client *http.Client
	// before may answer a request itself, and then returns true.
	before func(http.ResponseWriter, *http.Request) bool
	seen   sync.Map
}

func newClientRig(t *testing.T) *clientRig {
	t.Helper()
	g := &clientRig{hub: trickle.NewHub(trickle.Limits{}, time.Now)}
	serve := g.hub.Handler(prefix)
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.seen.Store(r.Method+r.URL.Path, true)
		if g.before == nil || !g.before(w, r) {
			serve.ServeHTTP(w, r)
		}
	}))
	transport, ok := srv.Client().Transport.(*http.Transport)
	if !ok {
		t.Fatal("no transport")
	}
	g.client = trickle.NewHTTPClient(transport.TLSClientConfig, nil)
	g.url = srv.URL + prefix
	t.Cleanup(func() {
		g.hub.Close("a")
		srv.CloseClientConnections()
		srv.Close()
		g.client.CloseIdleConnections()
	})
	g.hub.Open("", "a", "text/plain")
	return g
}

// asked reports whether a request about a segment has come.
func (g *clientRig) asked(method string, number int) bool {
	_, ok := g.seen.Load(method + prefix + "a/" + strconv.Itoa(number))
	return ok
}

func (g *clientRig) options() trickle.ClientOptions {
	return trickle.ClientOptions{Client: g.client, PublishPause: time.Millisecond, ReadPause: time.Millisecond}
}

// first reads from the first segment on.
func first(o trickle.ClientOptions) trickle.ClientOptions { o.FromStart = true; return o }

// lasting is a context for a test, which ends before its goroutines are looked for.
func lasting(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestSegmentsAreReadWhileTheyGrow(t *testing.T) {
	t.Parallel()
	g, ctx := newClientRig(t), lasting(t)
	p := trickle.NewPublisher(g.url+"a", g.options())
	p.Connect(ctx)
	s := trickle.NewSubscriber(g.url+"a", first(g.options()))
	defer s.Close()
	for i, text := range []string{"zero", "one", "two"} {
		out := must[*trickle.Outgoing](t)(p.Next(ctx))
		must[int](t)(out.Write([]byte(text)))
		in := must[*trickle.Incoming](t)(s.Next(ctx))
		buf := make([]byte, 64)
		n := must[int](t)(io.ReadAtLeast(in, buf, len(text)))
		if string(buf[:n]) != text || in.Number != int64(i) || in.MIME != "text/plain" {
			t.Errorf("%q, %d, %q", buf[:n], in.Number, in.MIME)
		}
		must[int](t)(out.Write([]byte("!")))
		if err := out.Close(); err != nil {
			t.Error(err)
		}
		if rest := must[[]byte](t)(io.ReadAll(in)); string(rest) != "!" {
			t.Errorf("%q", rest)
		}
		in.Close()
	}
	until(t, "taken segments", func() bool { return p.Pending() == 0 })
	if err := p.Close(ctx); err != nil {
		t.Error(err)
	}
	if _, err := s.Next(ctx); !errors.Is(err, trickle.ErrEnded) {
		t.Error(err)
	}
	if g.hub.Channel("a") != nil {
		t.Error("the channel is still there")
	}
}

// The end of a channel ends both sides, also while they wait.
func TestAClosedChannelEndsBothSides(t *testing.T) {
	t.Parallel()
	g, ctx := newClientRig(t), lasting(t)
	p := trickle.NewPublisher(g.url+"a", g.options())
	p.Connect(ctx)
	s := trickle.NewSubscriber(g.url+"a", g.options())
	defer s.Close()
	until(t, "request ahead", func() bool { return g.asked("POST", 0) })
	got := make(chan error)
	go func() { _, err := s.Next(ctx); got <- err }()
	g.hub.Close("a")
	if err := <-got; !errors.Is(err, trickle.ErrEnded) {
		t.Error(err)
	}
	<-p.Ended()
	if _, err := p.Next(ctx); !errors.Is(err, trickle.ErrEnded) {
		t.Error(err)
	}
	if err := p.Close(ctx); err != nil {
		t.Error(err)
	}
}

func TestAReaderThatIsTooLateGoesToTheHead(t *testing.T) {
	t.Parallel()
	g, ctx := newClientRig(t), lasting(t)
	for range 9 {
		if err := g.hub.Channel("a").Put([]byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	o := g.options()
	o.FromStart = true
	s := trickle.NewSubscriber(g.url+"a", o)
	defer s.Close()
	got := make(chan *trickle.Incoming)
	go func() { got <- must[*trickle.Incoming](t)(s.Next(ctx)) }()
	until(t, "read of the next segment", func() bool { return g.asked("GET", 9) })
	if err := g.hub.Channel("a").Put([]byte("nine")); err != nil {
		t.Fatal(err)
	}
	in := <-got
	defer in.Close()
	if data := must[[]byte](t)(io.ReadAll(in)); in.Number != 9 || string(data) != "nine" {
		t.Errorf("%d, %q", in.Number, data)
	}
}

// A segment of which nothing was sent is tried again; a read that fails too often ends.
func TestFailuresAreRetried(t *testing.T) {
	t.Parallel()
	g, ctx := newClientRig(t), lasting(t)
	var posts, gets atomic.Int32
	g.before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost && posts.Add(1) <= 3 {
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			c.Close()
			return true
		}
		if r.Method == http.MethodGet && gets.Add(1) > 1 {
			w.WriteHeader(http.StatusBadGateway)
			return true
		}
		return false
	}
	p := trickle.NewPublisher(g.url+"a", g.options())
	p.Connect(ctx)
	s := trickle.NewSubscriber(g.url+"a", first(g.options()))
	defer s.Close()
	until(t, "retry", func() bool { return posts.Load() > 3 })
	out := must[*trickle.Outgoing](t)(p.Next(ctx))
	must[int](t)(out.Write([]byte("zero")))
	out.Close()
	in := must[*trickle.Incoming](t)(s.Next(ctx))
	if data := must[[]byte](t)(io.ReadAll(in)); string(data) != "zero" {
		t.Errorf("%q", data)
	}
	in.Close()
	if _, err := s.Next(ctx); err == nil || errors.Is(err, trickle.ErrEnded) || strings.Contains(err.Error(), "http") {
		t.Error(err)
	}
	if gets.Load() != 8 {
		t.Errorf("%d reads", gets.Load())
	}
	p.Close(ctx)
}

func TestAReadIsRenewed(t *testing.T) {
	t.Parallel()
	g, ctx := newClientRig(t), lasting(t)
	var gets atomic.Int32
	g.before = func(http.ResponseWriter, *http.Request) bool { gets.Add(1); return false }
	o := g.options()
	o.Renew = 5 * time.Millisecond
	s := trickle.NewSubscriber(g.url+"a", o)
	defer s.Close()
	short, cancel := context.WithCancel(ctx)
	done := make(chan error)
	go func() { _, err := s.Next(short); done <- err }()
	until(t, "renewals", func() bool { return gets.Load() > 4 })
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The writer does not wait for a channel that takes nothing, and holds no more than its limit.
func TestASlowChannelIsNoticed(t *testing.T) {
	t.Parallel()
	g := newClientRig(t)
	ctx, cancel := context.WithCancel(lasting(t))
	defer cancel()
	g.before = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost {
			<-ctx.Done()
		}
		return r.Method == http.MethodPost
	}
	o := g.options()
	o.Buffer = 1 << 20
	p := trickle.NewPublisher(g.url+"a", o)
	out := must[*trickle.Outgoing](t)(p.Next(ctx))
	var err error
	for n := 0; err == nil && n < 1000; n++ {
		_, err = out.Write(make([]byte, 64<<10))
	}
	if !errors.Is(err, trickle.ErrSlow) {
		t.Error(err)
	}
	must[*trickle.Outgoing](t)(p.Next(ctx))
	if p.Pending() != 2 {
		t.Error(p.Pending())
	}
	cancel()
	p.Close(ctx)
}

// A dropped segment is closed for its readers, and the one after it goes on.
func TestADroppedSegmentIsClosed(t *testing.T) {
	t.Parallel()
	g, ctx := newClientRig(t), lasting(t)
	p := trickle.NewPublisher(g.url+"a", g.options())
	s := trickle.NewSubscriber(g.url+"a", first(g.options()))
	defer s.Close()
	out := must[*trickle.Outgoing](t)(p.Next(ctx))
	must[int](t)(out.Write([]byte("lost")))
	in := must[*trickle.Incoming](t)(s.Next(ctx))
	out.Drop()
	if data := must[[]byte](t)(io.ReadAll(in)); string(data) != "lost" {
		t.Errorf("%q", data)
	}
	in.Close()
	if _, err := out.Write([]byte("more")); !errors.Is(err, trickle.ErrDropped) {
		t.Error(err)
	}
	out = must[*trickle.Outgoing](t)(p.Next(ctx))
	must[int](t)(out.Write([]byte("next")))
	out.Close()
	in = must[*trickle.Incoming](t)(s.Next(ctx))
	if data := must[[]byte](t)(io.ReadAll(in)); string(data) != "next" || in.Number != 1 {
		t.Errorf("%q, %d", data, in.Number)
	}
	in.Close()
	p.Close(ctx)
}

type answers func(*http.Request) *http.Response

func (f answers) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }

// Whatever a peer answers, a read ends or goes on to another segment.
func FuzzAnswers(f *testing.F) {
	f.Add(200, "0", "1", "", []byte("x"))
	f.Add(470, "0", "9223372036854775807", "", []byte(""))
	f.Add(470, "-1", "-5", "", []byte(""))
	f.Add(200, "", "", "terminated", []byte(""))
	f.Add(302, "99999999999999999999", "", "", []byte("x"))
	f.Fuzz(func(t *testing.T, status int, number, next, closed string, data []byte) {
		c := &http.Client{Transport: answers(func(r *http.Request) *http.Response {
			return &http.Response{StatusCode: status, Request: r, Body: io.NopCloser(bytes.NewReader(data)),
				Header: http.Header{"Lp-Trickle-Seq": {number}, "Lp-Trickle-Latest": {next},
					"Lp-Trickle-Closed": {closed}, "Content-Type": {"x/y"}}}
		}), CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		s := trickle.NewSubscriber("http://a.test/b", trickle.ClientOptions{Client: c, ReadPause: 1, Failures: 2})
		defer s.Close()
		for range 4 {
			in, err := s.Next(t.Context())
			if err != nil {
				return
			}
			if in.Number < 0 {
				t.Error(in.Number)
			}
			in.Close()
		}
	})
}
