package ingest_test

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/ingest"
)

// What an encoder's address says, by RTMP and by SRT.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, query, name, key, rest string
		live, bad                    bool
	}{
		{path: "/live/film", name: "film"},
		{path: "/film", name: "film"},
		{path: "/stream/film", name: "film"},
		{path: "/live/film/tk-1", name: "film", key: "tk-1"},
		{path: "/live/film", query: "key=tk-1&a=b", name: "film", key: "tk-1", rest: "b"},
		{path: "/live/video-to-video/cam", query: "a=b", name: "cam", live: true, rest: "b"},
		{path: "/live/video-to-video/", bad: true},
		{path: "/", bad: true},
		{path: "/live/..", bad: true},
		{path: "/live/a b", bad: true},
		{path: "/live/a", query: "%zz", bad: true},
		{path: "/live/" + strings.Repeat("a", 129), bad: true},
	} {
		a, err := ingest.ParsePath(c.path, c.query)
		if c.bad {
			if fault.CodeOf(err) != fault.PublishAddress {
				t.Error(c.path, err)
			}
			continue
		}
		if err != nil || a.Name != c.name || a.Key != c.key || a.Live != c.live || a.Query.Get("a") != c.rest {
			t.Error(c.path, a, err)
		}
	}
	for id, want := range map[string]string{"film": "film", "live/film?key=k": "film k",
		"#!::r=film,m=publish,key=k": "film k", "#!::r=live/video-to-video/cam,u=x": "cam live", "#!::r=film,m=request": "",
		"#!::": "", "": ""} {
		a, err := ingest.ParseStreamID(id)
		got := strings.TrimSpace(a.Name + " " + a.Key)
		if a.Live {
			got += " live"
		}
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q %v", id, got, err)
		}
	}
}

// FuzzAddresses: what is accepted is a name that needs no escaping.
func FuzzAddresses(f *testing.F) {
	f.Add("/live/film/key?a=b")
	f.Add("#!::r=live/video-to-video/a,m=publish,key=k,pipeline=x")
	f.Add("#!::r=,r=a,=,,")
	f.Fuzz(func(t *testing.T, text string) {
		path, query, _ := strings.Cut(text, "?")
		for i, read := range []func() (ingest.Address, error){
			func() (ingest.Address, error) { return ingest.ParsePath(path, query) },
			func() (ingest.Address, error) { return ingest.ParseStreamID(text) },
		} {
			a, err := read()
			if err != nil {
				if fault.CodeOf(err) != fault.PublishAddress {
					t.Fatal(i, err)
				}
				continue
			}
			again, err := ingest.ParsePath("/live/"+a.Name, "")
			if err != nil || again.Name != a.Name || strings.ContainsAny(a.Name, "/?%# ") || a.Query == nil {
				t.Fatal(i, a, err)
			}
		}
	})
}
