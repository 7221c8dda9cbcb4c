package aiapi_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/draw"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
)

// image is a small PNG.
func picture(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 6))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// pictureOf is one of so many bytes.
func pictureOf(t *testing.T, size int) []byte {
	t.Helper()
	const end = 12 // the last chunk, and what one has around its data
	b := picture(t)
	last := bytes.Clone(b[len(b)-end:])
	b = b[:len(b)-end]
	n := size - len(b) - 2*end
	chunk := append([]byte("teXt"), make([]byte, n)...)
	b = binary.BigEndian.AppendUint32(b, uint32(n))
	b = binary.BigEndian.AppendUint32(append(b, chunk...), crc32.ChecksumIEEE(chunk))
	return append(b, last...)
}

// sound is a short WAV file.
const sound = "RIFF\x28\x00\x00\x00WAVEfmt " +
	"\x10\x00\x00\x00\x01\x00\x01\x00\x44\xac\x00\x00\x88\x58\x01\x00\x02\x00\x10\x00data\x04\x00\x00\x00\x01\x02\x03\x04"

// video is the outline of an MP4 file.
const video = "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom" +
	"\x00\x00\x00\x0cmoov\x00\x00\x00\x00\x00\x00\x00\x0cmdat\x01\x02\x03\x04"

func dataURL(b []byte) string {
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(b)
}

// shelf is an orchestrator's results.
type fetchedFiles map[string][]byte

func (s fetchedFiles) Fetch(_ context.Context, from aiapi.Source, url string, limit int64,
	grow func(int64) error) ([]byte, error) {
	b, ok := s[url]
	if !ok || from.Orchestrator != "https://o:8935" || int64(len(b)) > limit {
		return nil, fault.New(fault.ResultFetchFailed, "fetch", url)
	}
	return b, grow(int64(len(b)))
}

// upload is a multipart form; a part whose name begins with @ is a file.
func upload(t *testing.T, parts ...string) (contentType, body string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		var part io.Writer
		var err error
		if name, ok := strings.CutPrefix(parts[i], "@"); ok {
			part, err = w.CreateFormFile(name, "file.bin")
		} else {
			part, err = w.CreateFormField(parts[i])
		}
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(part, parts[i+1])
	}
	w.Close()
	return w.FormDataContentType(), b.String()
}

// field reads a part of a job's form.
func field(t *testing.T, job *inference.Job, name string) string {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, "/", bytes.NewReader(job.Body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", job.ContentType)
	if err := r.ParseMultipartForm(1 << 20); err != nil {
		t.Fatal(err)
	}
	if files := r.MultipartForm.File[name]; len(files) == 1 {
		f, err := files[0].Open()
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		b, _ := io.ReadAll(f)
		return string(b)
	}
	return r.PostForm.Get(name)
}

var resultURL = regexp.MustCompile(`http://[^"]*(/results/[0-9a-f]{32}/[0-9]+\.[a-z0-9]+)`)

func TestImages(t *testing.T) {
	t.Parallel()
	pic := picture(t)
	n := start(t, func(o *aiapi.Options) { o.Fetcher = fetchedFiles{"https://o:8935/stream/x/1.png": pic} }).serve()
	n.broker.answer = says(`{"images":[{"url":"https://o:8935/stream/x/1.png","seed":12345678901234567890,"nsfw":false},` +
		`{"url":"` + dataURL(pic) + `","seed":2,"nsfw":false}],"more":1}`)
	g := n.post("/text-to-image", `{"prompt":"a cat","model_id":"m/sd","seed":7}`)
	if g.status != http.StatusOK || !strings.Contains(g.body, `"seed":12345678901234567890`) ||
		!strings.Contains(g.body, `"more":1`) {
		t.Fatalf("status %d, %s", g.status, g.body)
	}
	urls := resultURL.FindAllStringSubmatch(g.body, -1)
	if len(urls) != 2 || !strings.HasPrefix(urls[0][0], n.url) {
		t.Fatalf("results %v in %s", urls, g.body)
	}
	first := n.get(urls[0][1])
	if first.status != http.StatusOK || first.body != string(pic) || first.header.Get("Content-Type") != "image/png" {
		t.Errorf("status %d, %v", first.status, first.header)
	}
	second := n.get(urls[1][1])
	if second.header.Get("Content-Type") != "image/png" || second.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%v", second.header)
	}
	job, _ := n.broker.last(t)
	if job.Model != (inference.Model{Capability: capability.TextToImage, ID: "m/sd"}) || job.Units != 512*512 ||
		job.Operation != "text-to-image" {
		t.Errorf("job %+v", job)
	}
	for _, path := range []string{
		"/results/" + strings.Repeat("0", 32) + "/0.png", strings.Replace(urls[0][1], "/0.", "/7.", 1),
		strings.Replace(urls[0][1], ".png", ".html", 1), strings.Replace(urls[0][1], "/0.", "/-1.", 1),
	} {
		if g := n.get(path); g.status != http.StatusNotFound || !strings.Contains(g.body, "ResultGone") {
			t.Errorf("%s: status %d, %s", path, g.status, g.body)
		}
	}
	if g := n.post(urls[0][1], ""); g.status != http.StatusMethodNotAllowed {
		t.Errorf("POST to a result: status %d", g.status)
	}
}

func TestAnswersWithoutResults(t *testing.T) {
	t.Parallel()
	n := start(t, func(o *aiapi.Options) { o.Fetcher = fetchedFiles{} }).serve()
	for body, code := range map[string]string{
		`{}`: "AnswerUnreadable", `[]`: "AnswerUnreadable", `x`: "AnswerUnreadable",
		`{"images":[{"url":1}]}`: "AnswerUnreadable",
		`{"images":[` + strings.Repeat(`{"url":"data:,"},`, 64) + `{"url":"data:,"}]}`: "AnswerUnreadable",
		`{"images":[{"url":"https://elsewhere/x.png"}]}`:                               "ResultFetchFailed",
		`{"images":[{"url":"data:image/png;base64,%%%"}]}`:                             "ResultFetchFailed",
		`{"images":[{"url":"data:image/png,abc"}]}`:                                    "ResultFetchFailed",
	} {
		n.broker.answer = says(body)
		if g := n.post("/text-to-image", `{"prompt":"a cat"}`); g.status != http.StatusBadGateway ||
			!strings.Contains(g.body, code) {
			t.Errorf("%.60s: status %d, %s", body, g.status, g.body)
		}
	}
}

func TestPipelinesPassThrough(t *testing.T) {
	t.Parallel()
	pic := string(picture(t))
	n := start(t, func(o *aiapi.Options) { o.Media = seconds(3) }).serve()
	n.broker.answer = says(` {"text":"a cat"} `)
	for path, file := range map[string]string{"/image-to-text": "@image", "/segment-anything-2": "@image",
		"/audio-to-text": "@audio"} {
		contentType, body := upload(t, file, pic, "model_id", "m/x", "unknown", "kept")
		n.post(path, body, "Content-Type", contentType).want(t, http.StatusOK, ` {"text":"a cat"} `)
		job, _ := n.broker.last(t)
		if path == "/audio-to-text" {
			// The runner gets the audio's duration; nothing else changes.
			if field(t, job, "metadata") != `{"duration":"3"}` || field(t, job, "unknown") != "kept" ||
				!strings.Contains(string(job.Body), pic) {
				t.Errorf("%s: job %s", path, job.Body)
			}
		} else if string(job.Body) != body {
			t.Errorf("%s: job %s", path, job.Body)
		}
		if job.ContentType != contentType || "/"+job.Model.Capability.Pipeline() != path || job.Units == 0 {
			t.Errorf("%s: job %+v", path, job)
		}
		// Without a model the network's default is requested.
		contentType, body = upload(t, file, pic)
		n.post(path, body, "Content-Type", contentType)
		if job, _ := n.broker.last(t); job.Model.ID == "" || field(t, job, "model_id") != job.Model.ID {
			t.Errorf("%s: job %+v", path, job)
		}
	}
	if g := n.post("/image-to-text", "x", "Content-Type", "text/plain"); g.status != http.StatusBadRequest {
		t.Errorf("status %d", g.status)
	}
}

// seconds are media tools that find every file as long, and put a format's name before what they convert.
type seconds int

// ConvertSound refuses sound that says so.
func (s seconds) ConvertSound(_ context.Context, data []byte, to core.SoundFormat, limit int64) ([]byte, error) {
	if bytes.HasSuffix(data, []byte("damaged")) {
		return nil, fault.New(fault.InvalidData, "convert", "damaged")
	}
	if bytes.HasSuffix(data, []byte("later")) {
		return nil, fault.New(fault.TranscoderBusy, "convert", "")
	}
	return append([]byte(to.String()+":"), data[:min(int64(len(data)), limit)]...), nil
}

func (s seconds) Duration(context.Context, []byte) (time.Duration, error) {
	return time.Duration(s) * time.Second, nil
}

var _ pipeline.MediaTools = seconds(0)

// DecodeImage decodes PNG, beyond the limit, too.
func (s seconds) DecodeImage(_ context.Context, data []byte, _ int64) ([]byte, error) {
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fault.New(fault.InvalidData, "decode image", err.Error())
	}
	out := image.NewRGBA(m.Bounds())
	draw.Draw(out, out.Rect, m, m.Bounds().Min, draw.Src)
	return out.Pix, nil
}
