package aiapi_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
)

func TestOpenAIImages(t *testing.T) {
	t.Parallel()
	pic := picture(t)
	n := start(t, func(o *aiapi.Options) { o.Now = func() time.Time { return time.Unix(1700000000, 0) } }).serve()
	n.broker.answer = says(`{"images":[{"url":"` + dataURL(pic) + `","seed":1,"nsfw":false}]}`)
	g := n.post("/v1/images/generations",
		`{"model":"m/sd","prompt":"a cat","n":2,"size":"256x128","response_format":"b64_json","user":"u",`+
			`"negative_prompt":"dog"}`)
	g.want(t, http.StatusOK,
		`{"created":1700000000,"data":[{"b64_json":"`+base64.StdEncoding.EncodeToString(pic)+`"}]}`+"\n")
	job, _ := n.broker.last(t)
	var sent map[string]any
	if err := json.Unmarshal(job.Body, &sent); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"model_id": "m/sd", "prompt": "a cat", "num_images_per_prompt": 2.0, "width": 256.0,
		"height": 128.0, "negative_prompt": "dog"}
	for k, v := range want {
		if sent[k] != v {
			t.Errorf("%s is %v, want %v", k, sent[k], v)
		}
	}
	if len(sent) != len(want) || job.Units != 2*256*128 {
		t.Errorf("sent %s for %d units", job.Body, job.Units)
	}
	g = n.post("/v1/images/generations", `{"prompt":"a cat"}`)
	if !resultURL.MatchString(g.body) || g.status != http.StatusOK {
		t.Errorf("status %d, %s", g.status, g.body)
	}
	for _, body := range []string{
		`[]`, `null`, `{"prompt":"x","size":"big"}`, `{"prompt":"x","size":1}`, `{"prompt":"x","size":"0x1"}`,
		`{"prompt":"x","response_format":"jpeg"}`,
		`{"prompt":"x","stream":true}`, `{"prompt":""}`, `{"prompt":"x","n":0}`,
	} {
		if g := n.post("/v1/images/generations", body); g.status != http.StatusBadRequest {
			t.Errorf("%s: status %d, %s", body, g.status, g.body)
		}
	}
}

func decodes(o *aiapi.Options) { o.Media = seconds(1) }

func TestOpenAIEdits(t *testing.T) {
	t.Parallel()
	pic := picture(t)
	n := start(t, decodes).serve()
	n.broker.answer = says(`{"images":[{"url":"` + dataURL(pic) + `"}]}`)
	contentType, body := upload(t, "@image[]", string(pic), "prompt", "a dog", "model", "m/p2p", "n", "1", "size",
		"auto", "strength", "0.5")
	if g := n.post("/v1/images/edits", body, "Content-Type", contentType); g.status != http.StatusOK ||
		!resultURL.MatchString(g.body) {
		t.Errorf("status %d, %s", g.status, g.body)
	}
	job, _ := n.broker.last(t)
	for name, want := range map[string]string{"image": string(pic), "prompt": "a dog", "model_id": "m/p2p",
		"num_images_per_prompt": "1", "strength": "0.5", "size": ""} {
		if got := field(t, job, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if job.Units != 8*6 {
		t.Errorf("%d units", job.Units)
	}
	for _, parts := range [][]string{
		{"prompt", "x"}, {"@image", "x", "@image", "y", "prompt", "x"}, {"@image", "x", "@mask", "y", "prompt", "x"},
		{"@image", "x", "prompt", "x", "size", "256x256"}, {"@image", string(pic), "prompt", "x", "size", "5000x5"},
		{"@image", string(pic), "prompt", "x", "@mask", string(pic)},
		{"@image", string(pic), "prompt", "x", "@mask", string(block(t, 4, 4, color.Transparent))},
		{"@image", "not an image", "prompt", "x"},
		{"@image", string(pic), "prompt", "x", "stream", "true"},
	} {
		contentType, body := upload(t, parts...)
		if g := n.post("/v1/images/edits", body, "Content-Type", contentType); g.status != http.StatusBadRequest {
			t.Errorf("%q: status %d, %s", parts, g.status, g.body)
		}
	}
	if g := n.post("/v1/images/edits", "{}"); g.status != http.StatusBadRequest {
		t.Errorf("JSON: status %d", g.status)
	}
}

// block is a PNG of one color.
func block(t *testing.T, width, height int, c color.Color) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	draw.Draw(m, m.Bounds(), image.NewUniform(c), image.Point{}, draw.Src)
	return encode(t, m)
}

func encode(t *testing.T, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestOpenAIEditsOfAPart: a mask protects what is not transparent in it, and a size is that of what the model gets,
// what it is paid for, and what the client gets, whatever the model makes.
func TestOpenAIEditsOfAPart(t *testing.T) {
	t.Parallel()
	red, blue := color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 0, 255, 255}
	mask := image.NewNRGBA(image.Rect(0, 0, 8, 8))
	draw.Draw(mask, image.Rect(4, 0, 8, 8), image.NewUniform(color.Black), image.Point{}, draw.Src)
	for name, row := range map[string]struct {
		fields      []string
		made        []byte
		side        int
		left, right color.NRGBA
	}{
		"a mask": {[]string{"@mask", string(encode(t, mask))}, block(t, 8, 8, blue), 8, blue, red},
		"a size": {[]string{"size", "16x16"}, block(t, 16, 16, blue), 16, blue, blue},
		"both": {[]string{"@mask", string(encode(t, mask)), "size", "16x16"},
			block(t, 16, 16, blue), 16, blue, red},
		"made in a size":    {[]string{"size", "16x16"}, block(t, 32, 32, blue), 16, blue, blue},
		"masked, of a size": {[]string{"@mask", string(encode(t, mask))}, block(t, 32, 32, blue), 8, blue, red},
	} {
		n := start(t, decodes).serve()
		n.broker.answer = says(`{"images":[{"url":"` + dataURL(row.made) + `"}]}`)
		contentType, body := upload(t, append([]string{"@image", string(block(t, 8, 8, red)), "prompt", "x",
			"response_format", "b64_json"}, row.fields...)...)
		g := n.post("/v1/images/edits", body, "Content-Type", contentType)
		var out struct {
			Data []struct {
				B64 []byte `json:"b64_json"`
			}
		}
		if err := json.Unmarshal([]byte(g.body), &out); err != nil || len(out.Data) != 1 {
			t.Errorf("%s: status %d, %s", name, g.status, g.body)
			continue
		}
		m, err := png.Decode(bytes.NewReader(out.Data[0].B64))
		if err != nil {
			t.Fatal(err)
		}
		at := func(x int) color.Color { return color.NRGBAModel.Convert(m.At(x, row.side/2)) }
		if m.Bounds().Dx() != row.side || m.Bounds().Dy() != row.side || at(0) != row.left || at(row.side-1) != row.right {
			t.Errorf("%s: %v, %v and %v", name, m.Bounds(), at(0), at(row.side-1))
		}
		job, _ := n.broker.last(t)
		sent, err := png.DecodeConfig(strings.NewReader(field(t, job, "image")))
		if err != nil || sent.Width != row.side || job.Units != inference.Units(row.side*row.side) {
			t.Errorf("%s: %v, the model gets %d pixels for %d units", name, err, sent.Width, job.Units)
		}
	}
}

// TestAnImageThatCannotBeEdited: the gateway takes images by their headers' word only as far as its memory goes.
func TestAnImageThatCannotBeEdited(t *testing.T) {
	t.Parallel()
	n := start(t, func(o *aiapi.Options) { decodes(o); o.Limits.Bytes = 1 << 20 }).serve()
	big := block(t, 2000, 2000, color.Black)
	contentType, body := upload(t, "@image", string(big), "prompt", "x", "size", "64x64")
	if g := n.post("/v1/images/edits", body, "Content-Type", contentType); g.status != http.StatusServiceUnavailable {
		t.Errorf("status %d, %s", g.status, g.body)
	}
	damaged := block(t, 64, 64, color.Black)
	contentType, body = upload(t, "@image", string(damaged[:60]), "prompt", "x", "size", "32x32")
	if g := n.post("/v1/images/edits", body, "Content-Type", contentType); g.status != http.StatusBadRequest ||
		!strings.Contains(g.body, `"param":"image"`) {
		t.Errorf("status %d, %s", g.status, g.body)
	}
	n = start(t, decodes).serve()
	n.broker.answer = says(`{"images":[{"url":"` + dataURL(block(t, 5000, 1, color.Black)) + `"}]}`)
	got := n.delivered()
	contentType, body = upload(t, "@image", string(damaged), "prompt", "x", "size", "32x32")
	if g := n.post("/v1/images/edits", body, "Content-Type", contentType); g.status != http.StatusBadGateway {
		t.Errorf("status %d, %s", g.status, g.body)
	}
	if d := <-got; d.How != inference.Faulty {
		t.Errorf("%+v", d)
	}
}

// oneTurn decodes as seconds does, and keeps the ends of the time that it has.
type oneTurn struct {
	seconds
	mu   sync.Mutex
	ends []time.Time
}

func (o *oneTurn) DecodeImage(ctx context.Context, data []byte, limit int64) ([]byte, error) {
	end, _ := ctx.Deadline()
	o.mu.Lock()
	o.ends = append(o.ends, end)
	o.mu.Unlock()
	return o.seconds.DecodeImage(ctx, data, limit)
}

// TestResultsShareATurn: however many images an orchestrator answers with, all of them have the time of one, or it
// would keep the conversions of other clients waiting.
func TestResultsShareATurn(t *testing.T) {
	t.Parallel()
	media := &oneTurn{}
	n := start(t, func(o *aiapi.Options) { o.Media = media }).serve()
	made := `{"url":"` + dataURL(block(t, 8, 8, color.Black)) + `"}`
	n.broker.answer = says(`{"images":[` + made + "," + made + "," + made + `]}`)
	contentType, body := upload(t, "@image", string(block(t, 8, 8, color.Black)), "prompt", "x", "size", "4x4")
	if g := n.post("/v1/images/edits", body, "Content-Type", contentType); g.status != http.StatusOK {
		t.Fatalf("status %d, %s", g.status, g.body)
	}
	media.mu.Lock()
	defer media.mu.Unlock()
	if e := media.ends; len(e) != 4 || e[1].IsZero() || !e[1].Equal(e[2]) || !e[2].Equal(e[3]) {
		t.Errorf("they end at %v", e)
	}
}

// TestThisProcessDecodesNothing: what an image takes of time and memory is not in its header, so that a gateway
// without media workers changes none.
func TestThisProcessDecodesNothing(t *testing.T) {
	t.Parallel()
	n := start(t, nil).serve()
	contentType, body := upload(t, "@image", string(block(t, 8, 8, color.Black)), "prompt", "x", "size", "4x4")
	if g := n.post("/v1/images/edits", body, "Content-Type", contentType); g.status != http.StatusBadRequest {
		t.Errorf("status %d, %s", g.status, g.body)
	}
}
