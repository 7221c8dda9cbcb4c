package liverunner_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

// A runner in a container is reached at the address that the container has now, and at none when it does not run.
func TestRunnerInAContainer(t *testing.T) {
	n := start(t, "")
	serve := func(name string) (*httptest.Server, netip.AddrPort) {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, name)
		}))
		t.Cleanup(s.Close)
		u, err := url.Parse(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		return s, netip.MustParseAddrPort(u.Host)
	}
	one, first := serve("one")
	_, second := serve("two")
	if err := n.RegisterStatic(context.Background(), []byte(`{"runners":[{"label":"box","routing":"label","app":"a",
		"mode":"single-shot","runner_url":"http://127.0.0.1:`+strings.Split(one.URL, ":")[2]+`","health_url":"/h",
		"image":"r/x"}]}`)); err != nil {
		t.Fatal(err)
	}
	get := func() (int, string) {
		res, err := http.Get(n.public.URL + "/apps/box/app/x")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, _ := io.ReadAll(res.Body)
		return res.StatusCode, string(text)
	}
	if n.Serves("box") {
		t.Error("a runner without container serves: its entry's host was asked")
	}
	for _, c := range []struct {
		at   netip.AddrPort
		want string
	}{{first, "one"}, {second, "two"}} {
		n.SetContainer("box", c.at)
		n.Check(context.Background(), "box")
		if status, text := get(); status != http.StatusOK || text != c.want {
			t.Error(status, text, "want", c.want)
		}
	}
	n.SetContainer("box", netip.AddrPort{})
	if status, text := get(); status != http.StatusBadGateway {
		t.Error(status, text)
	}
	n.SetContainer("none", first)
}
