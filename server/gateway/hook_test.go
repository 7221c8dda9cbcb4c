package gateway_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway"
)

func TestAdmissionHook(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked := map[string]int{}
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ URL string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		mu.Lock()
		asked[in.URL]++
		mu.Unlock()
		switch {
		case strings.Contains(in.URL, "/live/secret/"):
			fmt.Fprint(w, `{"manifestID":"public","presets":["P144p30fps16x9"]}`)
		case strings.Contains(in.URL, "/live/twin/"):
			fmt.Fprint(w, `{"manifestID":"public"}`)
		case strings.Contains(in.URL, "/live/nameless/"):
			fmt.Fprint(w, `{"streamKey":"x"}`)
		case strings.Contains(in.URL, "/live/plain/"):
		default:
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	t.Cleanup(hook.Close)
	o := newFake(t)
	n := start(t, []string{o.uri}, func(opt *gateway.Options) { opt.AdmissionHook = hook.URL })
	n.push("/live/evil/0.ts", media).wantFault(t, http.StatusForbidden, fault.StreamDenied)
	n.push("/live/nameless/0.ts", media).wantFault(t, http.StatusServiceUnavailable, fault.StreamHookFailed)
	n.push("/live/plain/0.ts", media).want(t, media)
	for i := range 2 {
		if a := n.push(fmt.Sprintf("/live/secret/%d.ts", i), media); len(a.parts) != 1 {
			t.Fatalf("%d %s", a.status, a.text)
		}
	}
	n.push("/live/twin/0.ts", media).wantFault(t, http.StatusForbidden, fault.StreamDenied)
	if status, _, _ := n.get("/stream/public.m3u8"); status != http.StatusOK {
		t.Error("not there under the hook's name")
	}
	if status, _, _ := n.get("/stream/secret.m3u8"); status != http.StatusNotFound {
		t.Error("there under the pushed name")
	}
	mu.Lock()
	defer mu.Unlock()
	if got := asked[n.url+"/live/secret/0.ts"]; got != 1 || asked[n.url+"/live/secret/1.ts"] != 0 {
		t.Errorf("the hook was asked %v", asked)
	}
}

// TestPushersAreAskedAboutByThemselves: segments of one pusher wait for one answer, and
// an answer about another is not theirs.
func TestPushersAreAskedAboutByThemselves(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	denied, release := make(chan struct{}), make(chan struct{})
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ URL string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		if strings.Contains(in.URL, "token=bad") {
			close(denied)
			<-release
			w.WriteHeader(http.StatusForbidden)
			return
		}
		asked.Add(1)
	}))
	t.Cleanup(hook.Close)
	n := start(t, []string{newFake(t).uri}, func(opt *gateway.Options) { opt.AdmissionHook = hook.URL })
	var wg sync.WaitGroup
	wg.Go(func() {
		n.push("/live/film/9.ts?token=bad", media).wantFault(t, http.StatusForbidden, fault.StreamDenied)
	})
	<-denied // the unknown client's push came first, and has no answer yet
	for i := range 4 {
		wg.Go(func() { n.push(fmt.Sprintf("/live/film/%d.ts?token=good", i), media).want(t, media) })
	}
	n.push("/live/film/5.ts?token=good", media).want(t, media)
	close(release)
	wg.Wait()
	if got := asked.Load(); got > 5 || got == 0 {
		t.Errorf("the hook was asked %d times about the owner", got)
	}
	for i := range 4 {
		before := asked.Load()
		n.push(fmt.Sprintf("/live/film/%d.ts?token=good", 6+i), media).want(t, media)
		if asked.Load() != before {
			t.Error("asked about an admitted pusher again")
		}
	}
}

func TestOrchestratorHook(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	var mu sync.Mutex
	reply, calls := "", 0
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		calls++
		if reply == "" {
			w.WriteHeader(http.StatusInternalServerError)
		}
		fmt.Fprint(w, reply)
	}))
	t.Cleanup(hook.Close)
	set := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		reply = text
	}
	n := start(t, nil, func(opt *gateway.Options) { opt.OrchestratorHook = hook.URL })
	stream := 0
	begin := func() *answer {
		stream++
		return n.push(fmt.Sprintf("/live/s%d/0.ts", stream), media)
	}
	begin().wantFault(t, http.StatusServiceUnavailable, fault.NoSessionsAvailable)
	set(fmt.Sprintf(`[{"address":%q,"score":1},{"address":"ftp://x"},{"address":%q}]`, o.uri, o.uri))
	begin().want(t, media)
	set("")
	begin().want(t, media) // the list is a minute old at most
	n.clock.Forward(61 * time.Second)
	begin().want(t, media) // the hook fails, the last list stays
	set("[]")
	n.clock.Forward(61 * time.Second)
	begin().want(t, media) // an empty list is a failure too
	mu.Lock()
	defer mu.Unlock()
	if calls != 4 {
		t.Errorf("the hook was called %d times, want 4", calls)
	}
}
