package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/pipelines"
)

// replies is a runner's job that answers as it stands there.
func replies(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// TestPipelineFailures has runners fail in every way: clients are told what they
// can mend in the runner's words, and of everything else that it is not theirs.
func TestPipelineFailures(t *testing.T) {
	t.Parallel()
	n := startPipelines(t)
	const json = "application/json"
	image := func(url string) http.HandlerFunc {
		return replies(200, json, `{"images":[{"url":"`+url+`","seed":1,"nsfw":false}]}`)
	}
	for _, row := range []struct {
		name, pipeline string
		does           http.HandlerFunc
		status         int
		text, code     string
	}{
		{"a wrong value", "text-to-image",
			replies(400, json, `{"detail":{"msg":"height and width must be divisible by 8"}}`), 400, "must be divisible by 8",
			"JobRefused"},
		{"the schema", "text-to-image",
			replies(422, json, `{"detail":[{"loc":["body","seed"],"msg":"not an integer","type":"x"}]}`), 422,
			"seed: not an integer", "JobRefused"},
		{"too much", "upscale", replies(413, json, `{"detail":{"msg":"over 50 MB"}}`), 413, "over 50 MB", "JobRefused"},
		{"a type of sound", "audio-to-text", replies(415, json, `{"detail":{"msg":"unsupported audio"}}`), 415,
			"unsupported audio", "JobRefused"},
		{"a defect", "text-to-image", replies(500, json, `{"detail":{"msg":"Text to image pipeline error."}}`), 502,
			"the model server returned 500: Text to image pipeline error.", "RunnerFailed"},
		{"memory", "image-to-image", replies(500, json, `{"detail":{"msg":"GPU out of memory."}}`), 502,
			"GPU out of memory.", "RunnerOutOfMemory"},
		{"memory, in other words", "upscale",
			replies(500, json, `{"detail":{"msg":"Out of memory error. Try reducing input image resolution."}}`), 502,
			"reducing input image resolution", "RunnerOutOfMemory"},
		{"another model", "image-to-text",
			replies(400, json, `{"detail":{"msg":"pipeline configured with a but called with b"}}`), 502, "",
			"RunnerModelMissing"},
		{"the token", "text-to-speech", replies(401, json, `{"detail":{"msg":"Invalid bearer token."}}`), 502, "",
			"RunnerAuth"},
		{"busy", "text-to-image", replies(503, json, `{"detail":{"msg":"busy"}}`), 503, "", "OrchestratorsFull"},
		{"cut off", "text-to-image", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 502, "", ""},
		{"cut off in the answer", "image-to-text", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"text":`)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, 502, "", ""},
		{"a page", "text-to-image", replies(200, "text/html", "<html>"), 502, "", "ResponseUnusable"},
		{"no images", "text-to-image", replies(200, json, `{"images":[]}`), 502, "", "ResponseUnusable"},
		{"no image in it", "text-to-image", image("data:image/png;base64,%%%"), 502, "", "ResponseUnusable"},
		{"no data URL", "text-to-image", image("http://127.0.0.1:1/x.png"), 502, "", "ResponseUnusable"},
		{"a page for an image", "text-to-image", image("data:text/html;base64,PGh0bWw+"), 502, "", "ResponseUnusable"},
		{"no frames", "image-to-video", replies(200, json, `{"frames":[[]]}`), 502, "", "ResponseUnusable"},
		{"frames that are none", "image-to-video", replies(200, json, `{"frames":[[{"url":"data:image/png;base64,AAAA"}]]}`),
			502, "", ""},
		{"frames of two sizes", "image-to-video",
			replies(200, json, fmt.Sprintf(`{"frames":[[{"url":%q},{"url":%q}]]}`, pngURL(64, 48), pngURL(48, 64))), 502, "",
			""},
	} {
		id := pipelines.Model(row.pipeline)
		n.node.Wait(id+" to be ready", harnessTime, func() bool { return model(t, n.orch, id).State == "ready" })
		n.runner.Does(row.pipeline, row.does)
		res, body := n.postAny(t, row.pipeline)
		n.runner.Does(row.pipeline, nil)
		if res.StatusCode != row.status || !strings.Contains(string(body), row.text) ||
			!strings.Contains(string(body), `"error"`) ||
			row.code != "" && !strings.Contains(string(body), row.code) {
			t.Errorf("%s: %s %s\nwant %d %s %q", row.name, res.Status, body, row.status, row.code, row.text)
		}
	}
	// After all that each runner is of use again.
	for _, name := range []string{"text-to-image", "image-to-image", "upscale", "image-to-text", "text-to-speech",
		"image-to-video", "audio-to-text"} {
		n.node.Wait(name+" to work again", harnessTime, func() bool {
			res, _ := n.postAny(t, name)
			return res.StatusCode == http.StatusOK
		})
		checkIdle(t, n.node, n.orch, pipelines.Model(name))
	}
}

func pngURL(width, height int) string {
	return pipelines.DataURL("image/png", pipelines.PNG(width, height, 0))
}

// postAny sends a pipeline a request with which nothing is wrong.
func (n *pipelineNodes) postAny(t *testing.T, name string) (*http.Response, []byte) {
	t.Helper()
	id := pipelines.Model(name)
	switch name {
	case "text-to-image":
		return n.postJSON(t, "/"+name, map[string]any{"model_id": id, "prompt": "a cat", "width": 64, "height": 48})
	case "text-to-speech":
		return n.postJSON(t, "/"+name, map[string]any{"model_id": id, "text": "hello"})
	case "audio-to-text":
		return n.postForm(t, "/"+name, part{"audio", pipelines.WAV(8000, 16000)}, map[string]string{"model_id": id})
	case "image-to-video":
		return n.postForm(t, "/"+name, part{"image", pipelines.PNG(64, 48, 1)}, videoFields)
	}
	return n.postForm(t, "/"+name, part{"image", pipelines.PNG(64, 48, 1)},
		map[string]string{"model_id": id, "prompt": "a cat"})
}

// TestPipelineMistakes sends what no runner needs to see.
func TestPipelineMistakes(t *testing.T) {
	t.Parallel()
	n := startPipelines(t)
	id := map[string]string{"model_id": pipelines.Model("upscale"), "prompt": "x"}
	form := func(path string, file part, fields map[string]string) func() (*http.Response, []byte) {
		return func() (*http.Response, []byte) { return n.postForm(t, path, file, fields) }
	}
	object := func(path string, fields map[string]any) func() (*http.Response, []byte) {
		return func() (*http.Response, []byte) { return n.postJSON(t, path, fields) }
	}
	for _, row := range []struct {
		name   string
		post   func() (*http.Response, []byte)
		status int
		text   string
	}{
		{"no image", form("/upscale", part{"image", []byte("GIF? no")}, id), 400, "ImageUnreadable"},
		{"an empty image", form("/upscale", part{"image", nil}, id), 400, "JobUnreadable"},
		{"a cut image", form("/image-to-text", part{"image", pipelines.PNG(8, 8, 0)[:20]}, nil), 400, "ImageUnreadable"},
		{"no file", form("/upscale", part{}, id), 400, "JobUnreadable"},
		{"another part", form("/upscale", part{"picture", pipelines.PNG(8, 8, 0)}, id), 400, "JobUnreadable"},
		{"no prompt", form("/upscale", part{"image", pipelines.PNG(8, 8, 0)},
			map[string]string{"model_id": pipelines.Model("upscale")}), 400, "prompt"},
		{"no prompt, JSON", object("/text-to-image", map[string]any{"model_id": pipelines.Model("text-to-image")}), 400,
			"prompt"},
		{"a width of text", object("/text-to-image", map[string]any{"prompt": "x", "width": "wide"}), 400, "JobUnreadable"},
		{"more pixels than there are",
			object("/text-to-image", map[string]any{"prompt": "x", "width": 2147483647, "height": 2147483647,
				"num_images_per_prompt": 2147483647}), 400, "UnitsTooMany"},
		{"a form that is none", func() (*http.Response,
			[]byte) {
			return sent(t, n.gw+"/upscale", "application/json", []byte("{}"))
		}, 400, "multipart"},
		{"a model of nobody's", object("/text-to-image", map[string]any{"model_id": "who/knows", "prompt": "x"}), 404,
			"model_not_found"},
		{"a model of another pipeline",
			object("/text-to-image", map[string]any{"model_id": pipelines.Model("upscale"), "prompt": "x"}), 404,
			"model_not_found"},
		{"OpenAI's size", object("/v1/images/generations",
			map[string]any{"model": pipelines.Model("text-to-image"), "prompt": "x", "size": "big"}), 400, "size"},
		{"OpenAI's format", object("/v1/audio/speech",
			map[string]any{"model": pipelines.Model("text-to-speech"), "input": "x", "response_format": "ogg"}), 400,
			"response_format"},
		{"an image too large", func() (*http.Response, []byte) { return tooLarge(t, n.gw+"/upscale", 64<<20+1) }, 413,
			"64 MiB"},
		{"a text too large", func() (*http.Response, []byte) { return tooLarge(t, n.gw+"/text-to-image", 32<<20+1) }, 413,
			"32 MiB"},
		{"a text too large and of no known length",
			func() (*http.Response, []byte) { return tooLarge(t, n.gw+"/text-to-speech", -1) }, 413, "32 MiB"},
	} {
		res, body := row.post()
		if res.StatusCode != row.status || !strings.Contains(string(body), row.text) ||
			!strings.Contains(string(body), `"error"`) {
			t.Errorf("%s: %s %s, want %d %s", row.name, res.Status, body, row.status, row.text)
		}
	}
	for _, name := range []string{"text-to-image", "upscale", "image-to-text", "text-to-speech"} {
		if got := n.runner.Count(name); got != 0 {
			t.Errorf("the runner of %s was asked %d times", name, got)
		}
	}
}

// tooLarge posts a body that announces a size, or for a negative one goes on until
// the answer comes.
func tooLarge(t *testing.T, url string, size int64) (*http.Response, []byte) {
	t.Helper()
	r, w := io.Pipe()
	defer r.Close()
	go func() {
		block := bytes.Repeat([]byte(" "), 64<<10)
		for {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, r)
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = size
	req.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	res, err := harness.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, body
}
