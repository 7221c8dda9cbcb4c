package live

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What a webhook answers is taken whole or not at all.
func FuzzWebhook(f *testing.F) {
	f.Add([]byte(`{"stream_id":"a","pipeline":"p","pipeline_parameters":{"a":1}}`))
	f.Add([]byte(`{"pipeline_parameters":null,"rtmp_output_url":"rtmp://a/b,rtmp://c/d"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := readVerdict(data)
		if err != nil {
			return
		}
		p := published{id: "before"}
		v.apply(&p)
		if p.id == "" || len(p.id) > maxName || len(p.model) > maxName || len(p.outputs) > maxOutputs ||
			p.params != nil && !json.Valid(p.params) {
			t.Errorf("%+v", p)
		}
	})
}

// What a heartbeat's service answers names streams or is an error.
func FuzzHeartbeat(f *testing.F) {
	f.Add([]byte(`{"terminatedStreamIds":["a"]}`))
	f.Add([]byte("  "))
	f.Fuzz(func(t *testing.T, data []byte) {
		if ids, err := readTerminated(data); err != nil && ids != nil {
			t.Error(ids, err)
		}
	})
}

// An address of a media server has a host, a port and a path, or is refused without being repeated.
func FuzzMediaAddress(f *testing.F) {
	f.Add("rtmp://media.example.org/live/key")
	f.Add("rtmps://[::1]:2/a?b#c")
	f.Fuzz(func(t *testing.T, text string) {
		u, err := parseMedia(text)
		if err == nil && (u.Hostname() == "" || u.Port() == "" || u.Path == "") {
			t.Errorf("%q: %+v", text, u)
		}
	})
}

// The oldest copies are deleted before there are too many bytes.
func TestSavedSegmentsAreBounded(t *testing.T) {
	c, err := newSavedSegments(t.TempDir(), 1)
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now().Add(-time.Hour)
	for i, name := range []string{"b.ts", "a.ts", "other"} {
		path := filepath.Join(c.dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, maxSavedBytes/2); err != nil { // takes no space
			t.Fatal(err)
		}
		if at := begun.Add(time.Duration(i) * time.Minute); os.Chtimes(path, at, at) != nil {
			t.Fatal("no time")
		}
	}
	if err := c.write(savedSegment{"c.ts", []byte("new")}); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != "a.ts c.ts other" {
		t.Error(got)
	}
}
