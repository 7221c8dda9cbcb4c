package models_test

import (
	"net/http"
	"strings"
	"testing"
)

// image is a part of a chat that names an image.
func picture(address string) string {
	return `{"type":"image_url","image_url":{"url":` + quote(address) + `}}`
}

// The node fetches images of the internet for its model servers, and is no way into
// its own network: nothing private is fetched as an image, nor anything that is none.
func TestNodeFetchesNothingPrivate(t *testing.T) {
	t.Parallel()
	f := startFetching(t)
	n := start(t, nil, []entry{external(f)})
	gateway := startGateway(t, n.addr, "-aiPrivateUrls")
	awaitAnswer(t, gateway)
	f.jobs.Store(0)
	port, met := private(t)
	held := picture("data:image/png;base64,AAAA")
	for _, c := range []struct {
		parts string
		code  string
		says  string
	}{
		{picture("https://127.0.0.1:" + port + "/a.png?key=secret"), "RequestURLRefused", "not of the internet"},
		{held + "," + picture("https://10.0.0.1/a.png"), "RequestURLRefused", "not of the internet"},
		{picture("http://localhost:" + port + "/a.png"), "RequestURLRefused", "local network"},
		{picture("http://1.1.1.1:" + port + "/a.png"), "RequestURLRefused", "neither 80 nor 443"},
		{picture("ftp://1.1.1.1/a.png"), "RequestURLRefused", "neither http, https nor data"},
		{strings.ReplaceAll(picture("https://1.1.1.1/a"), "image_url", "video_url"), "RequestURLRefused", "image_url"},
		{strings.Repeat(picture("https://1.1.1.1/a.png")+",", 8) + picture("https://b"), "PicturesTooLarge",
			"at most 8"},
	} {
		want := http.StatusBadRequest
		if c.code == "PicturesTooLarge" {
			want = http.StatusRequestEntityTooLarge
		}
		a := ask(t, gateway+"/v1/chat/completions", chat(c.parts))
		if a.status != want || !strings.Contains(a.body, c.code) || !strings.Contains(a.body, c.says) {
			t.Errorf("%.100s: %+v, want %d %s with %q", c.parts, a, want, c.code, c.says)
		}
		if strings.Contains(a.body, "secret") {
			t.Errorf("the answer holds a query: %s", a.body)
		}
	}
	if met.Load() != 0 || f.jobs.Load() != 0 {
		t.Errorf("%d requests reached the private service, %d the model server", met.Load(), f.jobs.Load())
	}
	a := ask(t, gateway+"/v1/chat/completions", chat(held))
	if a.status != http.StatusOK || f.jobs.Load() != 1 {
		t.Errorf("an image that the request holds: %+v", a)
	}
	if text := n.Log(); strings.Contains(text, "key=secret") {
		t.Error("the log holds a query")
	}
}
