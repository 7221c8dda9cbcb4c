package gateway

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/status"
)

var discard = slog.New(slog.DiscardHandler)

func FuzzReadPush(f *testing.F) {
	f.Add("/live/show/12.ts", "2000", "1280x720", "0", "500",
		`{"manifestID":"a","presets":["P240p30fps16x9"],"profiles":[{"name":"x","width":1,"height":2,"bitrate":"1k",`+
			`"fps":30,"gop":"intra"}],"timeoutMultiplier":3}`)
	f.Add("/live/a/0.mp4", "", "", "", "", "")
	f.Add("/live/../0.ts", "-1", "x", "9", "1", "[]")
	f.Add("/live/a/index.m3u8", "99999999999999999999", "1x1x1", "-0", "+1", `{"profiles":null}`)
	f.Fuzz(func(t *testing.T, path, duration, resolution, from, to, conf string) {
		h := http.Header{}
		for k, v := range map[string]string{
			"Content-Duration": duration, "Content-Resolution": resolution, "Content-Slice-From": from,
			"Content-Slice-To": to, "Livepeer-Transcode-Configuration": conf,
		} {
			if v != "" {
				h.Set(k, v)
			}
		}
		r, err := readPush(path, h)
		if err != nil {
			if code := fault.CodeOf(err); code == fault.Unexpected || status.Push(code) != http.StatusUnprocessableEntity {
				t.Fatalf("error %v has code %s", err, code)
			}
			return
		}
		if !validManifest(string(r.Manifest)) || r.Number < 0 || r.Duration <= 0 || r.Duration > core.MaxSegmentDuration {
			t.Fatalf("accepted %+v", r)
		}
		if r.Clip != nil && (r.Clip.From < 0 || r.Clip.To > 0 && r.Clip.To < r.Clip.From) {
			t.Fatalf("accepted clip %+v", r.Clip)
		}
		if r.Config != nil {
			names := map[string]bool{}
			for _, p := range renditions(r.Config.Profiles, r.Format) {
				if p.Name == "" || names[p.Name] {
					t.Fatalf("renditions of one name %q", p.Name)
				}
				names[p.Name] = true
			}
		}
	})
}

func FuzzPlayerPath(f *testing.F) {
	for _, s := range []string{"show.m3u8", "show/source.m3u8", "show/source/1.ts", "show/source/1-2.mp4", "../x.m3u8",
		"a//b.ts", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) {
		p, ok := parsePlayer(path)
		if !ok {
			return
		}
		if !validManifest(string(p.Manifest)) || p.Segment != "" && p.Rendition == "" {
			t.Fatalf("accepted %+v", p)
		}
		again := string(p.Manifest)
		if p.Rendition != "" {
			again += "/" + p.Rendition
		}
		ext := ".m3u8"
		if p.Segment != "" {
			again += "/" + p.Segment
			ext = p.Format.Ext()
		}
		if again+ext != path {
			t.Fatalf("%q reads as %q", path, again+ext)
		}
	})
}

func FuzzOrchestratorList(f *testing.F) {
	f.Add(`[{"address":"https://a:1"},{"address":"b","score":2}]`)
	f.Add(`{"address":3}`)
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseOrchestrators([]byte(text), discard)
		if err == nil && len(list) == 0 || len(list) > maxOrchestrators {
			t.Fatalf("list of %d", len(list))
		}
		for _, uri := range list {
			if !strings.HasPrefix(uri, "http") || strings.HasSuffix(uri, "/") {
				t.Fatalf("%q", uri)
			}
		}
	})
}
