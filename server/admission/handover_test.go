package admission_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/server/admission"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testServer serves behind a Handover; /long and /short answer when the test closes their channels.
type testServer struct {
	handover *admission.Handover
	handler  http.Handler
	url      string
	// long, short and brief end the requests of these paths.
	long, short, brief chan struct{}
	served             chan error
	client             *http.Client
}

func newTestServer(t *testing.T) *testServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := &testServer{handover: admission.NewHandover(), url: "http://" + l.Addr().String(),
		long: make(chan struct{}), short: make(chan struct{}), brief: make(chan struct{}), served: make(chan error, 1),
		client: &http.Client{Transport: &http.Transport{}}}
	mux := http.NewServeMux()
	wait := func(c chan struct{}) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			_ = http.NewResponseController(w).Flush()
			<-c
			_, _ = io.WriteString(w, "whole")
		}
	}
	mux.HandleFunc("/long", wait(h.long))
	mux.HandleFunc("/short", wait(h.short))
	mux.HandleFunc("/brief", wait(h.brief))
	mux.HandleFunc("/now", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/segment", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/rendition", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "whole") })
	h.handover.SetListener(l)
	h.handler = h.handover.Wrap(mux, func(r *http.Request) admission.RequestKind {
		switch r.URL.Path {
		case "/long":
			return admission.LongRequest
		case "/brief":
			return admission.BriefRequest
		case "/segment":
			return admission.FollowedRequest
		case "/rendition":
			return admission.FollowingRequest
		}
		return admission.ShortRequest
	})
	srv := &http.Server{Handler: h.handler}
	go func() { h.served <- srv.Serve(l) }()
	t.Cleanup(func() {
		h.client.CloseIdleConnections()
		_ = srv.Close()
	})
	return h
}

func (h *testServer) get(path string) <-chan string {
	out := make(chan string, 1)
	go func() {
		res, err := h.client.Get(h.url + path)
		if err != nil {
			out <- err.Error()
			return
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			out <- err.Error()
			return
		}
		out <- string(body)
	}()
	return out
}

func (h *testServer) until(t *testing.T, short, long int) {
	t.Helper()
	end := time.After(30 * time.Second)
	for {
		s, l := h.handover.InProgress()
		if s == short && l == long {
			return
		}
		select {
		case <-end:
			t.Fatalf("%d short and %d long requests, want %d and %d", s, l, short, long)
		case <-time.After(time.Millisecond):
		}
	}
}

func TestShortIsWaitedForAndLongGoesOn(t *testing.T) {
	h := newTestServer(t)
	long, short := h.get("/long"), h.get("/short")
	h.until(t, 1, 1)
	left := make(chan error, 1)
	go func() { left <- h.handover.Release(t.Context()) }()
	if err := <-h.served; err == nil || !h.handover.Released() {
		t.Fatalf("the listener ended with %v, gone %v", err, h.handover.Released())
	}
	select {
	case err := <-left:
		t.Fatalf("left with a short request in hand: %v", err)
	default:
	}
	close(h.short)
	if got := <-short; got != "whole" {
		t.Errorf("short: %q", got)
	}
	if err := <-left; err != nil {
		t.Error(err)
	}
	close(h.long)
	if got := <-long; got != "whole" {
		t.Errorf("long: %q", got)
	}
	if err := h.handover.WaitIdle(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestBriefIsWaitedForAMoment: a request without credentials that does not come to an end does
// not keep the place, and one that is answered within a moment is.
func TestBriefIsWaitedForAMoment(t *testing.T) {
	h := newTestServer(t)
	stuck := h.get("/brief")
	short := h.get("/short")
	h.until(t, 1, 0)
	left := make(chan error, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	go func() { left <- h.handover.Release(ctx) }()
	<-h.served
	close(h.short)
	if got := <-short; got != "whole" {
		t.Errorf("short: %q", got)
	}
	if err := <-left; err != nil {
		t.Errorf("a brief request keeps the place: %v", err)
	}
	close(h.brief)
	if got := <-stuck; got != "whole" {
		t.Errorf("brief: %q", got)
	}
}

func TestNoticeEndsConnections(t *testing.T) {
	h := newTestServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error, 1)
	held := h.get("/short")
	h.until(t, 1, 0)
	go func() { left <- h.handover.Release(ctx) }()
	closes := func(path string) bool {
		res, err := h.client.Get(h.url + path)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return res.Close
	}
	for !closes("/now") { // the notice is given in another goroutine
		select {
		case <-time.After(time.Millisecond):
		case <-h.served:
			t.Fatal("no answer closed its connection before the socket was left")
		}
	}
	// Renditions are fetched over the connection of their segment, also once the socket is closed.
	if closes("/segment") {
		t.Error("a segment's answer closed its connection before its renditions were fetched")
	}
	cancel()
	<-h.served
	if !closes("/segment") {
		t.Error("a segment that came after the socket was left leaves its connection open")
	}
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("a request was in hand, got %v", err)
	}
	close(h.short)
	<-held
}

// TestHeldUntilAnotherHasSettled: a listener that is held stays open for the peers that the
// other one's requests need.
func TestHeldUntilAnotherHasSettled(t *testing.T) {
	front, back := newTestServer(t), newTestServer(t)
	back.handover.BeforeRelease(front.handover.WaitReleased)
	inHand := front.get("/short")
	front.until(t, 1, 0)
	left := make(chan error, 2)
	go func() { left <- front.handover.Release(t.Context()) }()
	go func() { left <- back.handover.Release(t.Context()) }()
	<-front.served
	// A connection of its own, as after an answer that closed the last one.
	for range 3 {
		if got := <-back.get("/now"); got != "" {
			t.Errorf("for the request in hand: %q", got)
		}
		back.client.CloseIdleConnections()
	}
	if back.handover.Released() {
		t.Error("the socket was left before the other's request had its answer")
	}
	close(front.short)
	if got := <-inHand; got != "whole" {
		t.Errorf("in hand: %q", got)
	}
	<-back.served
	for range 2 {
		if err := <-left; err != nil {
			t.Error(err)
		}
	}
}

// TestRenditionsAreFetchedBeforeTheOtherProcessServes: a segment is answered when the socket is closed and other
// segments are in progress. Its renditions are all fetched over the connection that it has: the other process, which
// has the socket, too, does not accept yet.
func TestRenditionsAreFetchedBeforeTheOtherProcessServes(t *testing.T) {
	h := newTestServer(t)
	srv := httptest.NewUnstartedServer(h.handler)
	h.handover.SetListener(srv.Listener)
	socket, err := h.handover.File()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	srv.StartTLS()
	defer srv.Close()
	h.url = srv.URL
	trust := srv.Client().Transport.(*http.Transport)
	h.client.Transport = trust
	other := &http.Client{Transport: trust.Clone()}
	defer other.CloseIdleConnections()
	if got := <-h.get("/segment"); got != "" {
		t.Fatal(got)
	}
	inProgress := make(chan error, 1)
	go func() {
		res, err := other.Get(h.url + "/short")
		if err == nil {
			err = res.Body.Close()
		}
		inProgress <- err
	}()
	h.until(t, 1, 0)
	released, cancel := context.WithCancel(t.Context())
	cancel() // without the time of the notice
	if err := h.handover.Release(released); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	var renditions []<-chan string
	for range 3 {
		renditions = append(renditions, h.get("/rendition"))
	}
	for _, r := range renditions {
		if got := <-r; got != "whole" {
			t.Error(got)
		}
	}
	res, err := h.client.Get(h.url + "/segment")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if !res.Close {
		t.Error("the next segment goes the same way")
	}
	close(h.short)
	if err := <-inProgress; err != nil {
		t.Error(err)
	}
}
