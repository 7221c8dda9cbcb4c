package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/adversary"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// hooked is a gateway whose operator has a service that admits streams.
type hooked struct {
	*target
	segment clip.Segment
	// verdict is the operator's rule; asked are the URLs that it was asked about.
	mu      sync.Mutex
	verdict func(u *url.URL) (status int, answer string)
	asked   []string
	// slow: the service answers names that begin with "unknown" when it is closed.
	slow chan struct{}
	// claim is what pushes say for a key, "" for nothing.
	claim string
	// waiting are the questions that it does not answer.
	waiting atomic.Int64
}

func startHooked(t *testing.T, args ...string) *hooked {
	t.Helper()
	h := &hooked{slow: make(chan struct{})}
	service := httptest.NewServer(http.HandlerFunc(h.serve))
	t.Cleanup(service.Close)
	t.Cleanup(sync.OnceFunc(func() { close(h.slow) }))
	orchestrator, addr := harness.Address(t), harness.Address(t)
	o := harness.Start(t, binary, "-orchestrator", "-transcoder", "-serviceAddr", orchestrator, "-httpAddr", orchestrator,
		"-cliAddr", harness.Address(t), "-dataDir", t.TempDir())
	h.target = &target{T: t, base: "http://" + addr, dir: t.TempDir()}
	h.node = harness.Start(t, binary, append([]string{"-gateway", "-orchAddr", orchestrator, "-httpAddr", addr,
		"-cliAddr", harness.Address(t), "-dataDir", h.dir, "-transcodingOptions", "P144p30fps16x9", "-authWebhookUrl",
		service.URL}, args...)...)
	o.WaitHTTP("https://" + orchestrator + "/healthz")
	h.node.WaitHTTP(h.base + "/healthz")
	h.segment = oneSegment(t)
	return h
}

func oneSegment(t *testing.T) clip.Segment {
	t.Helper()
	c, err := clip.Generate(clip.Options{Width: 320, Height: 180, FPSNum: 15, FPSDen: 1, Segments: 1, Bitrate: 200_000,
		Segment: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s, err := c.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (h *hooked) serve(w http.ResponseWriter, r *http.Request) {
	var in struct{ URL string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		h.Error(err)
	}
	u, err := url.Parse(in.URL)
	if err != nil {
		h.Error(err)
		return
	}
	if strings.HasPrefix(u.Path, "/live/unknown") {
		h.waiting.Add(1)
		defer h.waiting.Add(-1)
		select {
		case <-h.slow:
		case <-r.Context().Done():
		}
		w.WriteHeader(http.StatusForbidden)
		return
	}
	h.mu.Lock()
	h.asked = append(h.asked, u.Path)
	status, answer := h.verdict(u)
	h.mu.Unlock()
	w.WriteHeader(status)
	_, _ = io.WriteString(w, answer) // the gateway may have gone
}

// rule sets what the service answers.
func (h *hooked) rule(verdict func(u *url.URL) (int, string)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.verdict, h.asked = verdict, nil
}

// push sends the segment from an address of this machine and returns the status.
func (h *hooked) push(from, path, configuration string) int {
	h.Helper()
	status, err := h.tryPush(h.Context(), from, path, configuration)
	if err != nil {
		h.Fatal(err)
	}
	return status
}

func (h *hooked) tryPush(ctx context.Context, from, path, configuration string) (int, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, h.base+path, bytes.NewReader(h.segment.Data))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Duration", "1000")
	r.Header.Set("Expect", "100-continue") // a refusal does not meet the body on its way
	if h.claim != "" {
		r.Header.Set("Authorization", h.claim)
	}
	if configuration != "" {
		r.Header.Set("Livepeer-Transcode-Configuration", configuration)
	}
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	client := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true,
		ExpectContinueTimeout: 20 * time.Second}}
	resp, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

// The owner of a stream and an attacker.
const owner, attacker = "127.0.0.1", "127.0.0.66"

// expect pushes and compares the status.
func (h *hooked) expect(what, from, path, configuration string, want int) {
	h.Helper()
	if got := h.push(from, path, configuration); got != want {
		h.Errorf("%s: %s from %s: status %d, not %d", what, path, from, got, want)
	}
}

// TestAStreamsNameIsNoCredential: where the operator's service admits streams, only a
// client that was admitted to a running stream pushes into it, whatever the service's rule.
func TestAStreamsNameIsNoCredential(t *testing.T) {
	t.Parallel()
	h := startHooked(t)
	ok, no := http.StatusOK, http.StatusForbidden
	h.rule(func(u *url.URL) (int, string) {
		if u.Query().Get("token") != "good" {
			return no, ""
		}
		return ok, ""
	})
	h.expect("the owner", owner, "/live/film/0.ts?token=good", "", ok)
	h.expect("no token", attacker, "/live/film/1.ts", "", no)
	h.expect("another token", attacker, "/live/film/1.ts?token=bad", "", no)
	h.expect("no token, from the owner's address", owner, "/live/film/1.ts", "", no)
	h.expect("the owner again", owner, "/live/film/1.ts?token=good", "", ok)
	h.expect("the owner from elsewhere", attacker, "/live/film/2.ts?token=good", "", ok)
	if h.mu.Lock(); len(h.asked) > 6 {
		t.Errorf("the service was asked %d times", len(h.asked))
	}
	h.mu.Unlock()

	// A name is admitted once, and says all.
	seen := map[string]bool{}
	h.rule(func(u *url.URL) (int, string) {
		name := strings.Split(u.Path, "/")[2]
		if seen[name] {
			return no, ""
		}
		seen[name] = true
		return ok, ""
	})
	h.expect("the owner", owner, "/live/once/0.ts", "", ok)
	h.expect("the name alone", attacker, "/live/once/1.ts", "", no)
	h.expect("the owner again", owner, "/live/once/1.ts", "", ok)

	// Each token has a stream of its own, whatever name is pushed.
	h.rule(func(u *url.URL) (int, string) {
		switch u.Query().Get("token") {
		case "owner":
			return ok, `{"manifestID":"theirs"}`
		case "attacker":
			return ok, `{"manifestID":"mine"}`
		}
		return no, ""
	})
	h.expect("the owner", owner, "/live/shared/0.ts?token=owner", "", ok)
	h.expect("a token for another stream", attacker, "/live/shared/1.ts?token=attacker", "", no)
	h.expect("the owner again", owner, "/live/shared/1.ts?token=owner", "", ok)
}

// TestAStreamsNameInAHeader: the name in a header is one that the service has admitted.
func TestAStreamsNameInAHeader(t *testing.T) {
	t.Parallel()
	h := startHooked(t)
	ok, no := http.StatusOK, http.StatusForbidden
	h.rule(func(u *url.URL) (int, string) {
		name := strings.Split(u.Path, "/")[2]
		switch {
		case name == "key":
			return ok, `{"manifestID":"public"}`
		case name == "own", name == "public", name == "film" && u.Query().Get("token") == "good":
			return ok, ""
		}
		return no, ""
	})
	h.expect("the owner", owner, "/live/film/0.ts?token=good", "", ok)
	h.expect("another's running stream", attacker, "/live/own/1.ts", `{"manifestID":"film"}`, no)
	h.expect("a stream that the service refuses", attacker, "/live/own/0.ts", `{"manifestID":"secret"}`, no)
	if status, _ := h.ask("GET", "/stream/secret.m3u8", nil); status != http.StatusNotFound {
		t.Errorf("a refused stream can be played: %d", status)
	}
	h.expect("both names are admitted", owner, "/live/own/0.ts?token=good", `{"manifestID":"film"}`, ok)
	h.expect("the service names the stream", owner, "/live/key/0.ts", `{"manifestID":"whatever"}`, ok)
	h.expect("the name that the service gave to another", attacker, "/live/public/1.ts", "", no)
}

// TestUnadmittedPushesTakeNoCapacity: pushes that the service has not admitted, and asks
// about for long, take no capacity from those that it has.
func TestUnadmittedPushesTakeNoCapacity(t *testing.T) {
	t.Parallel()
	h := startHooked(t)
	h.rule(func(*url.URL) (int, string) { return http.StatusOK, "" })
	h.expect("the owner", owner, "/live/film/0.ts", "", http.StatusOK)
	pushes := 300
	if adversary.Long() {
		pushes = 2000
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	var refused atomic.Int64
	for n := range pushes {
		wg.Go(func() {
			if _, err := h.tryPush(ctx, attacker, fmt.Sprintf("/live/unknown%d/0.ts", n), ""); err == nil {
				refused.Add(1)
			}
		})
	}
	h.node.Wait("the strangers' pushes to be refused or asked about", 20*time.Second, func() bool {
		return refused.Load()+h.waiting.Load() >= int64(pushes)
	})
	for n := 1; n < 4; n++ {
		h.expect("the owner, alongside pushes of strangers", owner, fmt.Sprintf("/live/film/%d.ts", n), "", http.StatusOK)
		h.expect("a new stream of another", owner, fmt.Sprintf("/live/news%d/0.ts", n), "", http.StatusOK)
	}
	cancel()
	wg.Wait()
	h.refusedAgain()
}

// refusedAgain: a client whose pushes are refused again and again is refused without a
// question.
func (h *hooked) refusedAgain() {
	h.Helper()
	const client = "127.0.1.67" // of another network than the attackers above
	h.rule(func(u *url.URL) (int, string) {
		if strings.HasPrefix(u.Path, "/live/spam") {
			return http.StatusForbidden, ""
		}
		return http.StatusOK, ""
	})
	begun, pushes := time.Now(), 200
	for n := range pushes {
		if status := h.push(client, fmt.Sprintf("/live/spam%d/0.ts", n), ""); status == http.StatusOK {
			h.Errorf("push %d was taken", n)
		}
	}
	h.mu.Lock()
	asked := len(h.asked)
	h.mu.Unlock()
	if most := 64 + 16*(int(time.Since(begun)/time.Second)+1); asked > most {
		h.Errorf("the service was asked %d times about %d refused pushes, at most %d may be", asked, pushes, most)
	}
	h.expect("the owner, after refused pushes of others", owner, "/live/film/9.ts", "", http.StatusOK)
}
