package orchestrator_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/rpc"
)

func TestSegment(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.fake.RenditionBytes = 100_000
	for name, c := range map[string]*http.Client{"HTTP/1.1": n.h1, "HTTP/2.0": n.h2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tok := n.offer().GetAuthToken()
			for _, size := range []int{0, 1, 1000, 256 << 10, 2<<20 - 1, 2 << 20, 2<<20 + 1, 5_000_000} {
				body := make([]byte, size)
				_, _ = rand.Read(body)
				res, answer := do(t, c, n.post(meta(tok, body), bytes.NewReader(body)))
				if res.StatusCode != http.StatusOK || res.Proto != name {
					t.Fatalf("%d bytes: %s %d %q", size, res.Proto, res.StatusCode, answer)
				}
				m := result(t, answer)
				if m.GetSeq() != 7 || !proto.Equal(m.GetInfo().GetAuthToken(), tok) || m.GetInfo().GetTranscoder() != n.uri ||
					m.GetInfo().GetCapabilities().GetConstraints() == nil || len(m.GetInfo().GetAddress()) != 20 {
					t.Errorf("answer %v", m)
				}
				segs := m.GetData().GetSegments()
				if len(segs) != 2 || segs[0].GetPixels() != 60*1280*720 || segs[1].GetPixels() != 60*640*360 {
					t.Fatalf("renditions %v", segs)
				}
				for i, ext := range []string{".ts", ".mp4"} {
					url := n.uri + "/stream/" + tok.GetSessionId() + "/" + profiles[i].Name + "/7" + ext
					if segs[i].GetUrl() != url {
						t.Errorf("rendition at %s, want %s", segs[i].GetUrl(), url)
					}
					res, data := get(t, n.h1, url)
					if res.StatusCode != http.StatusOK || len(data) != 100_000 || res.Proto != "HTTP/1.1" {
						t.Errorf("%s: %s %d, %d bytes", url, res.Proto, res.StatusCode, len(data))
					}
				}
			}
		})
	}
}

func TestUnknownLength(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	tok := n.offer().GetAuthToken()
	body := bytes.Repeat([]byte("segment"), 300_000)
	for _, c := range []*http.Client{n.h1, n.h2} {
		// A reader of no known kind has no length.
		res, answer := do(t, c, n.post(meta(tok, body), io.MultiReader(bytes.NewReader(body))))
		if res.StatusCode != http.StatusOK || result(t, answer).GetError() != "" {
			t.Errorf("%d %q", res.StatusCode, answer)
		}
	}
}

// TestRefusals is the protocol's table of what can be wrong with a segment.
func TestRefusals(t *testing.T) {
	t.Parallel()
	body := []byte("segment")
	for _, tc := range []struct {
		name   string
		status int
		text   string
		change func(m *rpc.SegmentMeta, d *rpc.SegData, h http.Header)
	}{
		{"payment is no base64", 402, "base64 decode error: illegal base64 data at input byte 0",
			func(_ *rpc.SegmentMeta, _ *rpc.SegData, h http.Header) {
				h.Set("Livepeer-Payment", "!")
				h.Set("Livepeer-Segment", "!") // the payment is looked at first
			}},
		{"segment is no base64", 403, "ErrorSegEncoding",
			func(_ *rpc.SegmentMeta, _ *rpc.SegData, h http.Header) { h.Set("Livepeer-Segment", "!") }},
		{"unknown format", 403, "unrecognized profile output format",
			func(_ *rpc.SegmentMeta, d *rpc.SegData, _ http.Header) { d.FullProfiles2[0].Format = 9 }},
		{"unknown encoder profile", 403, "unrecognized encoder profile",
			func(_ *rpc.SegmentMeta, d *rpc.SegData, _ http.Header) { d.FullProfiles2[0].Profile = 9 }},
		{"unknown codec", 403, "unrecognized video codec",
			func(_ *rpc.SegmentMeta, d *rpc.SegData, _ http.Header) { d.FullProfiles2[0].Encoder = 9 }},
		{"negative duration", 403, "invalid duration", func(_ *rpc.SegmentMeta, d *rpc.SegData,
			_ http.Header) {
			d.Duration = -1
		}},
		{"long duration", 403, "invalid duration", func(_ *rpc.SegmentMeta, d *rpc.SegData,
			_ http.Header) {
			d.Duration = 300_001
		}},
		{"capabilities", 403, "incompatible capabilities", func(_ *rpc.SegmentMeta, d *rpc.SegData, _ http.Header) {
			d.Capabilities.Bitstring = capability.Of(capability.HEVCEncode)
			d.AuthToken = nil // looked at later
		}},
		{"no token", 403, "missing auth token", func(_ *rpc.SegmentMeta, d *rpc.SegData,
			_ http.Header) {
			d.AuthToken = nil
		}},
		{"no segment header", 403, "missing auth token",
			func(_ *rpc.SegmentMeta, _ *rpc.SegData, h http.Header) { h.Del("Livepeer-Segment") }},
		{"other token", 403, "invalid auth token", func(_ *rpc.SegmentMeta, d *rpc.SegData,
			_ http.Header) {
			d.AuthToken.Expiration++
		}},
		{"hash", 403, "Forbidden", func(_ *rpc.SegmentMeta, d *rpc.SegData, _ http.Header) { d.Hash[0]++ }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			n := newNode(t)
			tok := n.offer().GetAuthToken()
			for _, c := range []*http.Client{n.h1, n.h2} {
				m := meta(proto.Clone(tok).(*rpc.AuthToken), body)
				req := n.post(m, bytes.NewReader(body))
				d := rpc.ToSegData(m)
				header := req.Header.Get("Livepeer-Segment")
				tc.change(m, d, req.Header)
				if req.Header.Get("Livepeer-Segment") == header {
					req.Header.Set("Livepeer-Segment", b64(d))
				}
				res, answer := do(t, c, req)
				wantText(t, res, answer, tc.status, tc.text)
			}
			if n.fake.Jobs() != 0 {
				t.Error("it was transcoded")
			}
			if got := n.orch.Usage().Sessions; got != 0 {
				t.Errorf("%d sessions are left", got)
			}
		})
	}
}

// TestRefusalOfALargeUpload: the reason arrives although the body was not taken.
func TestRefusalOfALargeUpload(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	body := make([]byte, 5_000_000)
	for _, c := range []*http.Client{n.h1, n.h2} {
		for range 5 {
			res, answer := do(t, c, n.post(meta(nil, body), bytes.NewReader(body)))
			wantText(t, res, answer, http.StatusForbidden, "missing auth token")
		}
	}
}

func TestMalformedMessages(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	tok := n.offer().GetAuthToken()
	for header, want := range map[string]struct {
		status int
		prefix string
	}{
		"Livepeer-Payment": {402, "protobuf unmarshal error: "},
		"Livepeer-Segment": {403, ""},
	} {
		req := n.post(meta(tok, nil), nil)
		req.Header.Set(header, "/////w==")
		res, body := do(t, n.h2, req)
		if res.StatusCode != want.status || !strings.HasPrefix(string(body), want.prefix) || len(body) < 2 {
			t.Errorf("%s: %d %q", header, res.StatusCode, body)
		}
	}
}

func TestExpiredToken(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	late := time.Duration(0)
	n := newNode(t, func(s *setup) {
		s.rules.Now = func() time.Time { mu.Lock(); defer mu.Unlock(); return time.Now().Add(late) }
	})
	tok := n.offer().GetAuthToken()
	mu.Lock()
	late = 31 * time.Minute
	mu.Unlock()
	res, body := do(t, n.h2, n.post(meta(tok, nil), nil))
	wantText(t, res, body, http.StatusForbidden, "expired auth token")
}

func TestCapped(t *testing.T) {
	t.Parallel()
	n := newNode(t, func(s *setup) { s.rules.Limit = 1 })
	first, second := n.offer().GetAuthToken(), n.offer().GetAuthToken()
	n.transcode(n.h2, first, []byte("segment"))
	res, body := do(t, n.h2, n.post(meta(second, []byte("segment")), strings.NewReader("segment")))
	wantText(t, res, body, http.StatusForbidden, "OrchestratorCapped")
	n.transcode(n.h2, first, []byte("segment"))
}

// TestEarlyStatus: the status is there while the transcoder has not begun.
func TestEarlyStatus(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	release := make(chan struct{})
	n.fake.On = func(context.Context, int, *core.TranscodeJob) error { <-release; return nil }
	body := bytes.Repeat([]byte("segment"), 100_000)
	var open []*http.Response
	for _, c := range []*http.Client{n.h1, n.h2} {
		res, err := c.Do(n.post(meta(n.offer().GetAuthToken(), body), bytes.NewReader(body)))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Errorf("status %d", res.StatusCode)
		}
		open = append(open, res)
	}
	close(release)
	for _, res := range open {
		answer, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		if len(result(t, answer).GetData().GetSegments()) != 2 {
			t.Errorf("answer %q", answer)
		}
	}
}

// TestErrorInsideTheAnswer: once the status is sent, errors travel in the body,
// with the offer next to them.
func TestErrorInsideTheAnswer(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.fake.On = func(context.Context, int, *core.TranscodeJob) error {
		return fault.New(fault.ErrTranscoderUnavailable, "place", "")
	}
	tok := n.offer().GetAuthToken()
	_, body := do(t, n.h2, n.post(meta(tok, nil), nil))
	m := result(t, body)
	if m.GetError() != "ErrTranscoderUnavailable" || m.GetSeq() != 7 || !proto.Equal(m.GetInfo().GetAuthToken(), tok) {
		t.Errorf("answer %v", m)
	}
}

// TestQueueOverflow: the sixth segment of a session in a row is told so inside a
// 200.
func TestQueueOverflow(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	release := make(chan struct{})
	n.fake.On = func(context.Context, int, *core.TranscodeJob) error { <-release; return nil }
	tok := n.offer().GetAuthToken()
	answers := make(chan *rpc.TranscodeResult, 6)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			_, body := do(t, n.h2, n.post(meta(tok, nil), nil))
			answers <- result(t, body)
		})
	}
	if got := (<-answers).GetError(); got != "OrchestratorBusy" {
		t.Errorf("the one too many is told %q", got)
	}
	close(release)
	wg.Wait()
	for range 5 {
		if m := <-answers; m.GetError() != "" {
			t.Errorf("one of the five: %s", m.GetError())
		}
	}
}

func TestOversizeBody(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	tok := n.offer().GetAuthToken()
	for _, c := range []*http.Client{n.h1, n.h2} {
		req := n.post(meta(tok, nil), strings.NewReader("x"))
		req.ContentLength = core.MaxSegmentBytes + 1
		req.Header.Set("Expect", "100-continue")
		res, err := c.Do(req)
		if err != nil {
			continue // the client noticed first that it cannot keep its word
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		wantText(t, res, body, http.StatusInternalServerError, "Internal Server Error")
	}
	n.transcode(n.h1, tok, []byte("segment"))
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	n := newNode(t, func(s *setup) { s.rules.Limit = 20 })
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			tok := n.offer().GetAuthToken()
			body := []byte(fmt.Sprintf("segments of session %d", i))
			for range 5 {
				m := n.transcode(n.h2, tok, body)
				for _, seg := range m.GetData().GetSegments() {
					if res, data := get(t, n.h1, seg.GetUrl()); res.StatusCode != 200 ||
						!bytes.HasPrefix(data, []byte(tok.GetSessionId())) {
						t.Errorf("%s: %d %.40q", seg.GetUrl(), res.StatusCode, data)
					}
				}
			}
		})
	}
	wg.Wait()
}
