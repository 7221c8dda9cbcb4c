package orchestrator_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/rpc"
)

// signedVideo gives every rendition a video signature.
type signedVideo struct{ core.Transcoder }

func (s signedVideo) Transcode(ctx context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	res, err := s.Transcoder.Transcode(ctx, job)
	if err == nil && job.Signature {
		for i := range res.Renditions {
			res.Renditions[i].Signature = []byte("mpeg7 of " + job.Profiles[i].Name)
		}
	}
	return res, err
}

func TestStream(t *testing.T) {
	t.Parallel()
	n := newNode(t, func(s *setup) { s.rules.Transcoder = signedVideo{s.rules.Transcoder} })
	n.fake.RenditionBytes = 1_000_000
	tok := n.offer().GetAuthToken()
	m := meta(tok, nil)
	m.Signature = true
	_, answer := do(t, n.h2, n.post(m, nil))
	segs := result(t, answer).GetData().GetSegments()

	for i, kind := range []string{"video/mp2t", "video/mp4"} {
		for _, c := range []*http.Client{n.h1, n.h2} {
			res, data := get(t, c, segs[i].GetUrl())
			if len(data) != 1_000_000 || !bytes.Contains(data[:100], []byte(profiles[i].Name)) {
				t.Errorf("%s: %d bytes", segs[i].GetUrl(), len(data))
			}
			for name, want := range map[string]string{
				"Content-Type": kind, "Content-Length": "1000000", "Cache-Control": "max-age=5",
				"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "Content-Length",
			} {
				if got := res.Header.Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
		}
		if want := segs[i].GetUrl() + ".phash"; segs[i].GetPerceptualHashUrl() != want {
			t.Errorf("signature at %q, want %q", segs[i].GetPerceptualHashUrl(), want)
		}
		res, data := get(t, n.h1, segs[i].GetPerceptualHashUrl())
		if string(data) != "mpeg7 of "+profiles[i].Name || res.Header.Get("Content-Type") != "application/octet-stream" {
			t.Errorf("signature %q of type %s", data, res.Header.Get("Content-Type"))
		}
	}
}

func TestStreamWithoutSuchAFile(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	tok := n.offer().GetAuthToken()
	seg := n.transcode(n.h2, tok, []byte("segment")).GetData().GetSegments()[0].GetUrl()
	for _, url := range []string{
		seg + ".phash", strings.Replace(seg, "7.ts", "8.ts", 1), strings.Replace(seg, ".ts", ".mp4", 1),
		n.uri + "/stream/", n.uri + "/stream/00000000/p/1.ts", n.uri + "/stream/%2e%2e/%2e%2e/etc/passwd",
	} {
		res, body := get(t, n.h1, url)
		wantText(t, res, body, http.StatusNotFound, "ErrNotFound")
	}
}

// TestFetchableAfterTheEnd: a gateway may say goodbye before its last download.
func TestFetchableAfterTheEnd(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	tok := n.offer().GetAuthToken()
	seg := n.transcode(n.h2, tok, []byte("segment")).GetData().GetSegments()[0].GetUrl()
	if _, err := n.rpc.EndTranscodingSession(t.Context(), &rpc.EndTranscodingSessionRequest{AuthToken: tok}); err != nil {
		t.Fatal(err)
	}
	if res, _ := get(t, n.h1, seg); res.StatusCode != http.StatusOK {
		t.Errorf("status %d", res.StatusCode)
	}
}

func TestHealthz(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	for _, c := range []*http.Client{n.h1, n.h2} {
		if res, body := get(t, c, n.uri+"/healthz"); res.StatusCode != http.StatusOK || len(body) != 0 {
			t.Errorf("%d %q", res.StatusCode, body)
		}
	}
}
