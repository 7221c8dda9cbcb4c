package orchestrator_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
)

// form is a multipart form with a file and fields, name and value in turn.
func form(file string, data []byte, fields ...string) (contentType string, body []byte) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(fields); i += 2 {
		_ = w.WriteField(fields[i], fields[i+1])
	}
	p, err := w.CreateFormFile(file, "f")
	if err != nil {
		panic(err)
	}
	_, _ = p.Write(data)
	w.Close()
	return w.FormDataContentType(), b.Bytes()
}

func pngFile() []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 2))); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func dataURL(kind string, data []byte) string {
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)
}

// frames is a FrameEncoder that writes down what it was given.
type frames struct{}

func (frames) EncodeMP4(_ context.Context, f [][]byte, fps float64, width, height int) ([]byte, error) {
	return fmt.Appendf(nil, "%d frames at %g, %dx%d, of %d bytes", len(f), fps, width, height, len(f[0])), nil
}

// media knows every length.
type media struct{}

func (media) Duration(context.Context, []byte) (time.Duration, error) { return 3 * time.Second, nil }

// TestPipelines is every pipeline but llm, from its request to its answer.
func TestPipelines(t *testing.T) {
	t.Parallel()
	a := newAINode(t, func(s *setup) { s.rules.Media, s.listener.Frames = media{}, frames{} })
	pic := pngFile()
	images := `{"images":[{"url":"` + dataURL("image/png", pic) + `","seed":12345678901234567890,"nsfw":false},{"url":"` +
		dataURL("image/png", pic) + `","seed":2,"nsfw":true}]}`
	video := `{"frames":[[{"url":"` + dataURL("image/png", pic) + `","seed":5,"nsfw":false},{"url":"` +
		dataURL("image/png", pic) + `","seed":5,"nsfw":false}]]}`
	sent := 0
	for _, tc := range []struct {
		id     capability.ID
		file   string
		fields []string
		answer string
		// kept are the media that are to be fetched; without any the answer passes.
		kept  []string
		kind  string
		units inference.Units
	}{
		{capability.TextToImage, "", nil, images, []string{string(pic), string(pic)}, "image/png", 512 * 512},
		{capability.ImageToImage, "image", []string{"prompt", "x"}, images, []string{string(pic), string(pic)}, "image/png",
			8},
		{capability.Upscale, "image", []string{"prompt", "x"}, images, []string{string(pic), string(pic)}, "image/png", 8},
		{capability.ImageToVideo, "image", []string{"fps", "6.000000", "width", "64", "height", "32"}, video,
			[]string{fmt.Sprintf("2 frames at 6, 64x32, of %d bytes", len(pic))}, "video/mp4", 64 * 32 * 25},
		{capability.ImageToVideo, "image", nil, video,
			[]string{fmt.Sprintf("2 frames at 7, 1024x576, of %d bytes", len(pic))}, "video/mp4", 1024 * 576 * 25},
		{capability.TextToSpeech, "", nil, `{"audio":{"url":"` + dataURL("audio/wav", []byte("sound")) + `"}}`,
			[]string{"sound"}, "audio/wav", 5},
		{capability.AudioToText, "audio", nil, `{"text":"hi","chunks":[{"timestamp":[0,1.5],"text":"hi"}]}`, nil, "", 3000},
		{capability.SegmentAnything2, "image", []string{"box", "[1]"}, `{"masks":"[]","scores":"[]","logits":"[]"}`, nil, "",
			8},
		{capability.ImageToText, "image", nil, `{"text":"a dog"}`, nil, "", 8},
	} {
		m := inference.Model{Capability: tc.id, ID: "m"}
		request := func() *http.Request {
			if tc.file == "" {
				return a.job(m, "application/json", strings.NewReader(`{"model_id":"m","prompt":"x","text":"hello"}`))
			}
			ct, body := form(tc.file, pic, append(tc.fields, "model_id", "m")...)
			return a.job(m, ct, bytes.NewReader(body))
		}
		t.Log(m)
		a.says(200, "application/json", tc.answer)
		res, body := do(t, a.h2, request())
		if res.StatusCode != 200 || res.Header.Get("Content-Type") != "application/json" {
			t.Fatalf("%d %s", res.StatusCode, body)
		}
		sent++
		if f := a.done.last(t, sent); f.Units != tc.units {
			t.Errorf("%d units, want %d", f.Units, tc.units)
		}
		if tc.kept == nil {
			if string(body) != tc.answer {
				t.Errorf("%s", body)
			}
			continue
		}
		a.wantKept(body, tc.kept, tc.kind, res.Header.Get("X-Request-Id"))
		// Without the marker the media comes in the answer.
		req := request()
		req.Header.Del("Authorization")
		_, body = do(t, a.h1, req)
		sent++
		for i, url := range urls(t, body) {
			if url != dataURL(tc.kind, []byte(tc.kept[i])) {
				t.Errorf("%.200s", url)
			}
		}
	}
}

type mediaAnswer struct {
	Images []struct {
		URL  string
		Seed json.Number
		NSFW *bool
	}
	Audio *struct{ URL string }
}

func urls(t testing.TB, body []byte) (out []string) {
	t.Helper()
	var m mediaAnswer
	if err := json.Unmarshal(body, &m); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	for _, i := range m.Images {
		out = append(out, i.URL)
		if i.Seed == "" || i.NSFW == nil {
			t.Errorf("seed %q, nsfw %v", i.Seed, i.NSFW)
		}
	}
	if m.Audio != nil {
		out = append(out, m.Audio.URL)
	}
	return out
}

// wantKept fetches what an answer points to, as gateways do.
func (a *aiNode) wantKept(body []byte, want []string, kind, id string) {
	a.t.Helper()
	got := urls(a.t, body)
	if len(got) != len(want) {
		a.t.Fatalf("%s", body)
	}
	for i, url := range got {
		if !strings.HasPrefix(url, a.uri+"/stream/"+id+"/") {
			a.t.Fatal(url)
		}
		res, data := get(a.t, a.h1, url)
		if res.StatusCode != 200 || string(data) != want[i] || res.Header.Get("Content-Type") != kind {
			a.t.Errorf("%d %v %.100q", res.StatusCode, res.Header, data)
		}
	}
	if bytes.Contains(body, []byte("12345678901234567890")) != strings.Contains(string(body),
		`"seed":12345678901234567890`) {
		a.t.Error("a seed has become another number")
	}
}

func TestMediaFaults(t *testing.T) {
	t.Parallel()
	a := newAINode(t, func(s *setup) { s.rules.ArtifactBytes = 1000 })
	m := inference.Model{Capability: capability.TextToImage, ID: "m"}
	send := func(answer, text string) {
		t.Helper()
		a.says(200, "application/json", answer)
		res, body := do(t, a.h2, a.job(m, "application/json", strings.NewReader(`{"model_id":"m","prompt":"x"}`)))
		wantText(t, res, body, 500, text)
		a.free()
	}
	send(`<html>`, "the runner's answer cannot be used: no JSON of its pipeline")
	send(`{"images":[]}`, "the runner's answer cannot be used: no image, video or sound")
	send(`{"images":[{"url":"http://runner/x.png"}]}`,
		"the runner's answer cannot be used: a data URL that cannot be read")
	send(`{"images":[{"url":"data:image/png;base64,!"}]}`,
		"the runner's answer cannot be used: a data URL that cannot be read")
	send(`{"images":[{"url":"data:text/html;base64,AAAA"}]}`,
		"the runner's answer cannot be used: media of an unknown type")
	send(`{"images":[{"url":"`+dataURL("image/png", make([]byte, 1001))+`"}]}`,
		"Could not create storage to receive results")
	send(`{"frames":[[{"url":"`+dataURL("image/png", pngFile())+`"}]]}`, "no video encoder")
}

// TestJobSizes is a body at every bound.
func TestJobSizes(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, client func(*aiNode) *http.Client) {
		a := newAINode(t, func(s *setup) { s.listener.TextBytes, s.listener.FileBytes = 5000, 6000 })
		a.says(200, "application/json", plainAnswer)
		head := `{"model":"` + llama.ID + `","max_tokens":1,"messages":[{"role":"user","content":"`
		text := func(n int) []byte {
			return []byte(head + strings.Repeat("x", n-len(head)-4) + `"}]}`)
		}
		file := func(n int) (string, []byte) {
			ct, empty := form("image", nil, "model_id", "m")
			data := append(pngFile(), make([]byte, n)...)
			_, body := form("image", data[:n-len(empty)], "model_id", "m")
			return ct, body
		}
		check := func(req func() *http.Request, status int) {
			t.Helper()
			for _, chunked := range []bool{false, true} {
				r := req()
				if chunked {
					r.ContentLength = -1
				}
				res, body := do(t, client(a), r)
				if res.StatusCode != status || status == 413 && strings.TrimSpace(string(body)) != "request body is too large" {
					t.Errorf("%d %s, want %d", res.StatusCode, body, status)
				}
				a.free()
			}
		}
		for n, status := range map[int]int{4999: 200, 5000: 200, 5001: 413, 50000: 413} {
			check(func() *http.Request { return a.job(llama, "application/json", bytes.NewReader(text(n))) }, status)
		}
		m := inference.Model{Capability: capability.ImageToText, ID: "m"}
		for n, status := range map[int]int{6000: 200, 6001: 413} {
			check(func() *http.Request {
				ct, body := file(n)
				if len(body) != n {
					// The boundary is of one length always.
					t.Fatalf("%d bytes, want %d", len(body), n)
				}
				_, b, _ := strings.Cut(ct, "boundary=")
				old := body[2 : 2+len(b)]
				return a.job(m, ct, bytes.NewReader(bytes.ReplaceAll(body, old, []byte(b))))
			}, status)
		}
	})
}

// FuzzJob sends what it likes as a job: it is answered, and gives its slot back.
func FuzzJob(f *testing.F) {
	a := newAINode(f)
	a.says(200, "application/json", plainAnswer)
	f.Add("llm", "chat", "application/json", []byte(`{"model":"`+llama.ID+
		`","max_tokens":1,"messages":[{"role":"user","content":"x"}]}`))
	ct, body := form("image", pngFile(), "model_id", "m", "prompt", "x")
	f.Add("upscale", "", ct, body)
	f.Fuzz(func(t *testing.T, path, op, contentType string, body []byte) {
		if !headerValue(op) || !headerValue(contentType) {
			t.Skip("no value of a header")
		}
		a.t = t
		id, err := capability.FromPipeline(path)
		if err != nil {
			t.Skip("no pipeline")
		}
		m := inference.Model{Capability: id, ID: "m"}
		if id == capability.LLM {
			m = llama
		}
		req := a.job(m, contentType, bytes.NewReader(body))
		if op != "" {
			asOwn(req).Header.Set("Tutti-Operation", op)
		}
		res, text := do(t, a.h1, req)
		switch res.StatusCode {
		case 200, 400, 403, 404, 500, 503:
		default:
			t.Errorf("%d %q", res.StatusCode, text)
		}
		a.free()
	})
}
