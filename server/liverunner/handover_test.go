package liverunner_test

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/liverunner"
)

// replaced hands a node's sessions over to a new one.
func (n *node) replaced(t *testing.T) *node {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	if err := n.HandOver(ctx); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := n.Run(ctx, func() {}); err != nil {
		t.Fatal(err)
	}
	var line bytes.Buffer
	if err := gob.NewEncoder(&line).Encode(n.State()); err != nil {
		t.Fatal(err)
	}
	var left liverunner.State
	if err := gob.NewDecoder(&line).Decode(&left); err != nil {
		t.Fatal(err)
	}
	next := start(t, "topsecret")
	next.Restore(left)
	n.join(next)
	return next
}

// join connects two processes of an upgrade.
func (n *node) join(next *node) {
	next.before = next.LineBefore(func(u liverunner.Update) {
		if n.after != nil {
			n.after.Receive(u)
		}
	})
	n.after = n.LineAfter(next.before.Receive)
}

// open opens a channel of a session and returns its path.
func (n *node) open(t *testing.T, session, token string) string {
	t.Helper()
	res := n.request(t, "POST", strings.Replace(session, "/apps/", "/runner/", 1)+"/channels",
		`{"channels":[{"name":"c"}]}`, "Livepeer-Session-Token", token)
	var made struct{ Channels []struct{ URL string } }
	if err := json.NewDecoder(res.Body).Decode(&made); err != nil || len(made.Channels) != 1 {
		t.Fatal(res.Status, err)
	}
	return strings.TrimPrefix(made.Channels[0].URL, service)
}

func tokenOf(t *testing.T, n *node, session string) string {
	t.Helper()
	_, text := n.text(t, "GET", session+"/app/echo")
	var seen struct{ Headers map[string]string }
	if err := json.Unmarshal([]byte(text), &seen); err != nil {
		t.Fatal(text)
	}
	return seen.Headers["Livepeer-Session-Token"]
}

// The sessions of a process go on in its successor: each in both, counted in one, ended in both.
func TestSessionsAreHandedOver(t *testing.T) {
	t.Parallel()
	old, runner := start(t, "topsecret"), echo(t)
	ids := old.register(t, static("p", runner.URL, `,"capacity":3`)+","+
		static("s", runner.URL, `,"mode":"single-shot","routing":"label","capacity":3`))
	session := old.session(t, ids[0])
	token := tokenOf(t, old, session)
	channel := old.open(t, session, token)
	if res := old.request(t, "POST", channel+"/0", "x"); res.StatusCode != http.StatusOK {
		t.Fatal(res.Status)
	}
	held := old.request(t, "GET", session+"/app/hold", "")
	shot, lost := old.request(t, "GET", "/apps/s/app/hold", ""), old.request(t, "GET", "/apps/s/app/hold", "")
	waiting := make(chan error, 1)
	go func() {
		r, err := http.NewRequest("GET", old.public.URL+channel+"/1", nil)
		if err == nil {
			var got *http.Response
			if got, err = http.DefaultTransport.RoundTrip(r); err == nil {
				_, err = io.ReadAll(got.Body)
				got.Body.Close()
			}
		}
		waiting <- err
	}()

	next := old.replaced(t)
	if err := <-waiting; err == nil {
		t.Error("a reader is notified that its channel or segment is over")
	}
	if status, text := old.text(t, "POST", "/apps/"+ids[0]+"/session"); status != http.StatusServiceUnavailable ||
		!strings.HasPrefix(text, "Draining: another process") {
		t.Error(status, text)
	}
	if used, slots := next.Use(); used != 3 || slots != 6 {
		t.Error(used, slots)
	}
	if again := tokenOf(t, next, session); again != token {
		t.Error("another token:", again)
	}
	if _, text := next.text(t, "GET", channel+"/next"); text != "1" {
		t.Error("the channel goes on at", text)
	}
	shot.Body.Close()
	until(t, "a single-shot slot is free", func() bool { used, _ := next.Use(); return used == 2 })
	if status, text := next.text(t, "POST", session+"/stop"); status != http.StatusNoContent {
		t.Error(status, text)
	}
	if _, err := held.Body.Read(make([]byte, 1)); err == nil {
		t.Error("a request goes on in the old process")
	}
	next.before.Close() // the old process is gone, and with it the other single-shot request
	if used, _ := next.Use(); used != 0 {
		t.Error(used, "slots are taken")
	}
	lost.Body.Close()
}

// The end of the old process ends its requests, not the sessions: they are the successor's.
func TestTheEndOfTheOldProcessEndsNoSession(t *testing.T) {
	t.Parallel()
	for _, notified := range []bool{true, false} {
		old, runner := start(t, "topsecret"), echo(t)
		ids := old.register(t, static("p", runner.URL, `,"capacity":3`))
		old.session(t, ids[0])
		session := old.session(t, ids[0])
		held := old.request(t, "GET", session+"/app/hold", "")
		next := old.replaced(t)
		if !notified {
			old.after.Close()
		}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		old.TellUsed(over)
		if !notified { // the line is there only now
			old.join(next)
		}
		if used, _ := next.Use(); used != 2 {
			t.Errorf("notified before: %v: %d sessions are left", notified, used)
		}
		if _, err := held.Body.Read(make([]byte, 1)); err == nil {
			t.Error("a request goes on in the old process")
		}
	}
}

// A third process knows what happens in the first, which still has requests when the second is replaced.
func TestTwoHandovers(t *testing.T) {
	t.Parallel()
	first, runner := start(t, "topsecret"), echo(t)
	ids := first.register(t, static("p", runner.URL, `,"capacity":3`)+","+
		static("s", runner.URL, `,"mode":"single-shot","routing":"label","capacity":3`))
	session := first.session(t, ids[0])
	held := first.request(t, "GET", session+"/app/hold", "")
	shot, lost := first.request(t, "GET", "/apps/s/app/hold", ""), first.request(t, "GET", "/apps/s/app/hold", "")
	second := first.replaced(t)
	third := second.replaced(t)
	if used, _ := third.Use(); used != 3 {
		t.Fatal(used, "sessions are handed over")
	}

	waiting := make(chan struct{})
	go func() {
		second.AwaitBefore(t.Context())
		close(waiting)
	}()
	shot.Body.Close()
	until(t, "a slot is free in the third process", func() bool { used, _ := third.Use(); return used == 2 })
	if status, text := third.text(t, "POST", session+"/stop"); status != http.StatusNoContent {
		t.Error(status, text)
	}
	if _, err := held.Body.Read(make([]byte, 1)); err == nil {
		t.Error("a request of an ended session goes on in the first process")
	}
	select {
	case <-waiting:
		t.Error("the second process does not wait for the first")
	default:
	}
	second.before.Close() // the first process is gone, and with it its other request
	<-waiting
	until(t, "all slots are free", func() bool { used, _ := third.Use(); return used == 0 })
	lost.Body.Close()
}

// Requests in the first process keep their sessions in the third.
func TestUseIsKnownTwoHandoversLater(t *testing.T) {
	t.Parallel()
	first, runner := start(t, "topsecret"), echo(t)
	ids := first.register(t, static("p", runner.URL, `,"capacity":3`))
	session := first.session(t, ids[0])
	held := first.request(t, "GET", session+"/app/hold", "")
	defer held.Body.Close()
	third := first.replaced(t).replaced(t)
	third.later(time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	notified := make(chan struct{})
	go func() {
		defer close(notified)
		first.TellUsed(ctx)
	}()
	until(t, "the session is used", func() bool {
		return third.State().Registry.Runners[0].Sessions[0].UsedAt == time.Unix(1e9, 0).Add(time.Hour).UnixNano()
	})
	cancel()
	<-notified
	if used, _ := third.Use(); used != 1 {
		t.Error(used, "sessions are left")
	}
}
