package liverunner_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// TestARunnersCookiesAreItsOwn: the runners of an orchestrator share its host. What one gives a browser, whatever domain
// and path it names, comes back to it and to no other runner.
func TestARunnersCookiesAreItsOwn(t *testing.T) {
	t.Parallel()
	n := start(t, "")
	seen := make(chan string, 1)
	serve := func(base string, set ...string) string {
		runner := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == base+"/health" || r.URL.Path == "/health" {
				return
			}
			w.Header()["Set-Cookie"] = set
			seen <- r.Header.Get("Cookie")
		}))
		t.Cleanup(runner.Close)
		return runner.URL + base
	}
	own := serve("/base", "a=1; Path=/; HttpOnly", "b=2; path=/base/inner", "c=3; Domain=127.0.0.1; Path=/base",
		"d=4; Path=/elsewhere", "e=5")
	list := n.register(t, static("own", own, "")+","+static("other", serve(""), ""))
	ownPath, other := n.session(t, list[0]), n.session(t, list[1])
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	get := func(path string) string {
		u, err := url.Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		res, err := client.Get(n.public.URL + u.Path)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Fatal(path, res.Status)
		}
		return <-seen
	}
	get(ownPath + "/app/x")
	if got := get(other + "/app/x"); got != "" {
		t.Error("another runner gets ", got)
	}
	got := get(ownPath + "/app/inner/x")
	for _, want := range []string{"a=1", "b=2", "c=3", "d=4", "e=5"} {
		if !strings.Contains(got, want) {
			t.Errorf("the runner gets %q without %s", got, want)
		}
	}
}

// TestARunnerEchoesNoToken: servers that answer TRACE send back what they got. A client with its session's token could
// open addresses to every port of the runner's host.
func TestARunnerEchoesNoToken(t *testing.T) {
	t.Parallel()
	n := start(t, "")
	runner := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodTrace {
			_ = r.Header.Write(w)
		}
	}))
	t.Cleanup(runner.Close)
	path := n.session(t, n.register(t, static("a", runner.URL, ""))[0])
	r, err := http.NewRequestWithContext(t.Context(), http.MethodTrace, n.public.URL+path+"/app/x", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusMethodNotAllowed || strings.Contains(string(text), "Token") {
		t.Errorf("%s: %s %v", res.Status, text, err)
	}
}
