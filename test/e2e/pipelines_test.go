package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/pipelines"
	"github.com/tuttinode/tutti/transcoder/libav"
)

// TestPipelines has every pipeline but llm do a job, from a client to a runner and
// back, through a gateway and an orchestrator.
func TestPipelines(t *testing.T) {
	t.Parallel()
	n := startPipelines(t)
	for _, row := range []struct {
		name string
		test func(*testing.T)
	}{
		// One after another: they share the runner's memory of its last answer.
		{"text-to-image", n.textToImage}, {"image-to-image", n.imageToImage}, {"upscale", n.upscale},
		{"image-to-video", n.imageToVideo}, {"image-to-video later", n.imageToVideoLater},
		{"audio-to-text", n.audioToText}, {"text-to-speech", n.textToSpeech},
		{"segment-anything-2", n.segmentAnything}, {"image-to-text", n.imageToText},
		{"v1 images", n.openAIImages}, {"v1 audio", n.openAIAudio},
	} {
		t.Run(row.name, row.test)
	}
	n.node.Wait("the node to be idle", 20*time.Second, func() bool {
		return model(t, n.orch, pipelines.Model("image-to-video")).Use == "idle"
	})
	// The gateway has started media workers for the sound; both end when asked.
	for _, p := range []*harness.Process{n.gateway, n.node} {
		p.Signal(syscall.SIGTERM)
		if status := p.Exit(harnessTime); status != 0 {
			t.Errorf("exit status %d:\n%s", status, p.Log())
		}
	}
}

// same holds results, fetched at the gateway, to what the runner made.
func (n *pipelineNodes) same(t *testing.T, name string, items []mediaItem, want int) {
	t.Helper()
	made := n.runner.Made(name)
	if len(items) != want || len(made) != want {
		t.Fatalf("%d results and %d made, want %d", len(items), len(made), want)
	}
	for i, item := range items {
		if got := n.fetched(t, item.URL); !bytes.Equal(got, made[i]) {
			t.Errorf("result %d: %d bytes, the runner made %d others", i, len(got), len(made[i]))
		}
		if item.Seed.String() != fmt.Sprint(9007199254740993+i) || item.NSFW == nil || *item.NSFW {
			t.Errorf("result %d: %+v", i, item)
		}
	}
}

// units checks what the orchestrator priced a pipeline's last job at.
func (n *pipelineNodes) units(t *testing.T, name string, want int) {
	t.Helper()
	eventually(t, fmt.Sprintf("the job's line in the log, with %d units", want), func() bool {
		return strings.Contains(logged(n.node, "] request role=orchestrator ", "pipeline="+name+" ", "status=200"),
			fmt.Sprintf(" units=%d ", want))
	})
}

func (n *pipelineNodes) textToImage(t *testing.T) {
	const name = "text-to-image"
	res, body := n.postJSON(t, "/text-to-image", map[string]any{
		"model_id": pipelines.Model(name), "prompt": "a cat", "width": 64, "height": 40, "num_images_per_prompt": 2,
		"num_inference_steps": 4,
	})
	n.same(t, name, readMedia(t, res, body).Images, 2)
	n.units(t, name, 64*40*2)
	q, _ := n.runner.Last(name)
	if q.Fields["num_inference_steps"] != "4" || q.Fields["prompt"] != "a cat" {
		t.Errorf("the runner was asked %v", q.Fields)
	}
	// What the client leaves out is what the network prices such a request at.
	res, body = n.postJSON(t, "/text-to-image", map[string]any{"model_id": pipelines.Model(name), "prompt": "a cat"})
	n.same(t, name, readMedia(t, res, body).Images, 1)
	n.units(t, name, 512*512)
	if q, _ := n.runner.Last(name); q.Fields["width"] != "512" || q.Fields["height"] != "512" {
		t.Errorf("the runner was asked %v", q.Fields)
	}
}

func (n *pipelineNodes) imageToImage(t *testing.T) {
	const name = "image-to-image"
	input := pipelines.PNG(48, 32, 3)
	fields := map[string]string{
		"model_id": pipelines.Model(name), "prompt": "now a dog", "num_images_per_prompt": "2", "strength": "0.800000",
		"safety_check": "true",
	}
	res, body := n.postForm(t, "/image-to-image", part{"image", input}, fields)
	n.same(t, name, readMedia(t, res, body).Images, 2)
	n.units(t, name, 48*32*2)
	q, _ := n.runner.Last(name)
	if !bytes.Equal(q.File, input) || !maps.Equal(q.Fields, fields) {
		t.Errorf("the runner was asked %v with %d bytes", q.Fields, len(q.File))
	}
}

func (n *pipelineNodes) upscale(t *testing.T) {
	const name = "upscale"
	res, body := n.postForm(t, "/upscale", part{"image", pipelines.PNG(32, 24, 1)},
		map[string]string{"model_id": pipelines.Model(name), "prompt": "sharp"})
	n.same(t, name, readMedia(t, res, body).Images, 1)
	n.units(t, name, 32*24)
}

// videoFields ask for a small video.
var videoFields = map[string]string{"model_id": pipelines.Model("image-to-video"), "width": "256", "height": "144",
	"fps": "10"}

// checkVideo decodes a video of the runner's frames in full.
func (n *pipelineNodes) checkVideo(t *testing.T, items []mediaItem) {
	t.Helper()
	if len(items) != 1 || !strings.HasSuffix(items[0].URL, ".mp4") {
		t.Fatalf("want a video: %+v", items)
	}
	video := n.fetched(t, items[0].URL)
	info, err := libav.Probe(t.Context(), video)
	if err != nil || info.VideoCodec != "h264" || info.Width != 256 || info.Height != 144 || info.FPS != 10 ||
		info.AudioCodec != "" {
		t.Errorf("%v: %+v", err, info)
	}
	if !strings.Contains(info.Container, "mp4") {
		t.Errorf("container %q", info.Container)
	}
	report, err := libav.Inspect(t.Context(), video)
	if err != nil || report.Video == nil || len(report.Video.Frames) != pipelines.Frames {
		t.Fatalf("%v: %+v, want %d frames", err, report, pipelines.Frames)
	}
}

func (n *pipelineNodes) imageToVideo(t *testing.T) {
	const name = "image-to-video"
	res, body := n.postForm(t, "/image-to-video", part{"image", pipelines.PNG(64, 36, 1)}, videoFields)
	n.checkVideo(t, readMedia(t, res, body).Images)
	n.units(t, name, 256*144*25)
	// A size that no video has: the runner's words, and its status.
	fields := maps.Clone(videoFields)
	fields["width"] = "255"
	res, body = n.postForm(t, "/image-to-video", part{"image", pipelines.PNG(64, 36, 1)}, fields)
	if res.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), "divisible by 8") {
		t.Errorf("%s %s", res.Status, body)
	}
}

// asyncReply is an answer about a job whose client asks later.
type asyncReply struct {
	ID     string `json:"request_id"`
	Status string
	Result struct {
		Images []mediaItem
		Error  struct{ Message string }
	}
}

// later has a video made by a client that does not wait, and polls for it.
func (n *pipelineNodes) later(t *testing.T, image []byte) (out asyncReply) {
	t.Helper()
	res, body := n.postForm(t, "/image-to-video", part{"image", image}, videoFields, "Prefer", "respond-async")
	if err := json.Unmarshal(body, &out); err != nil || res.StatusCode != http.StatusAccepted || out.ID == "" {
		t.Fatalf("%v: %s %s", err, res.Status, body)
	}
	eventually(t, "the video", func() bool {
		res, body := n.postJSON(t, "/image-to-video/result", map[string]any{"request_id": out.ID})
		out.Status = ""
		err := json.Unmarshal(body, &out)
		switch {
		case err == nil && res.StatusCode == http.StatusAccepted && out.Status == "processing":
			return false
		case err == nil && res.StatusCode == http.StatusOK && out.Status == "complete":
			return true
		}
		t.Fatalf("%v: %s %s", err, res.Status, body)
		return false
	})
	return out
}

func (n *pipelineNodes) imageToVideoLater(t *testing.T) {
	const name = "image-to-video"
	n.checkVideo(t, n.later(t, pipelines.PNG(64, 36, 1)).Result.Images)
	n.runner.Does(name, func(w http.ResponseWriter,
		_ *http.Request) {
		pipelines.Refuse(w, http.StatusBadRequest, "too dark")
	})
	defer n.runner.Does(name, nil)
	if out := n.later(t, pipelines.PNG(64, 36, 1)); !strings.Contains(out.Result.Error.Message, "too dark") ||
		len(out.Result.Images) > 0 {
		t.Errorf("%+v", out)
	}
	if res, body := n.postJSON(t, "/image-to-video/result",
		map[string]any{"request_id": "nobody"}); res.StatusCode != http.StatusNotFound {
		t.Errorf("%s %s", res.Status, body)
	}
}

// audioToText sends sound whose length only a reader of the format can tell: it is
// what the job is priced at, and what the runner is told.
func (n *pipelineNodes) audioToText(t *testing.T) {
	const name = "audio-to-text"
	for _, row := range []struct {
		kind    string
		data    []byte
		seconds int
	}{
		{"wav", pipelines.WAV(8000, 8000*3+7000), 3},
		{"flac", pipelines.FLAC(5), 5},
		{"mp3", pipelines.MP3(7), 7},
	} {
		res, body := n.postForm(t, "/audio-to-text", part{"audio", row.data},
			map[string]string{"model_id": pipelines.Model(name), "return_timestamps": "word"})
		var out struct {
			Text   string
			Chunks []struct{ Timestamp []float64 }
		}
		if err := json.Unmarshal(body, &out); err != nil || res.StatusCode != http.StatusOK || out.Text != " one two" ||
			len(out.Chunks) != 2 {
			t.Errorf("%s: %v: %s %s", row.kind, err, res.Status, body)
			continue
		}
		n.units(t, name, row.seconds*1000)
		q, _ := n.runner.Last(name)
		if !bytes.Equal(q.File, row.data) || q.Fields["return_timestamps"] != "word" {
			t.Errorf("%s: the runner was asked %v", row.kind, q.Fields)
		}
		if want := fmt.Sprintf(`{"duration":"%d"}`, row.seconds); q.Fields["metadata"] != want {
			t.Errorf("%s: metadata %q, want %q", row.kind, q.Fields["metadata"], want)
		}
	}
	before := n.runner.Count(name)
	res, body := n.postForm(t, "/audio-to-text", part{"audio",
		[]byte("no sound at all, just a text that goes on for a while")},
		map[string]string{"model_id": pipelines.Model(name)})
	if res.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), "Unable to calculate duration") {
		t.Errorf("%s %s", res.Status, body)
	}
	if n.runner.Count(name) != before {
		t.Error("what is no sound came to the runner")
	}
}

func (n *pipelineNodes) textToSpeech(t *testing.T) {
	const name, text = "text-to-speech", "Grüße"
	res, body := n.postJSON(t, "/text-to-speech",
		map[string]any{"model_id": pipelines.Model(name), "text": text, "description": "slow"})
	out := readMedia(t, res, body)
	if out.Audio == nil || !bytes.Equal(n.fetched(t, out.Audio.URL), n.runner.Made(name)[0]) {
		t.Errorf("%s", body)
	}
	n.units(t, name, len(text))
	res, body = n.postJSON(t, "/text-to-speech", map[string]any{"model_id": pipelines.Model(name)})
	if res.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), "Text input must be provided.") {
		t.Errorf("%s %s", res.Status, body)
	}
}

func (n *pipelineNodes) segmentAnything(t *testing.T) {
	const name = "segment-anything-2"
	fields := map[string]string{"model_id": pipelines.Model(name), "point_coords": "[[1,2]]", "point_labels": "[1]"}
	res, body := n.postForm(t, "/segment-anything-2", part{"image", pipelines.PNG(40, 30, 1)}, fields)
	want := `{"logits":"[[[-1.5]]]","masks":"[[[0.0, 1.0], [1.0, 0.0]]]","scores":"[0.25]"}` + "\n"
	if res.StatusCode != http.StatusOK || string(body) != want {
		t.Errorf("%s %s", res.Status, body)
	}
	n.units(t, name, 40*30)
	if q, _ := n.runner.Last(name); !maps.Equal(q.Fields, fields) {
		t.Errorf("the runner was asked %v", q.Fields)
	}
}

func (n *pipelineNodes) imageToText(t *testing.T) {
	const name = "image-to-text"
	res, body := n.postForm(t, "/image-to-text", part{"image", pipelines.PNG(20, 10, 1)},
		map[string]string{"model_id": pipelines.Model(name)})
	if want := `{"text":"an image of 20 by 10"}` + "\n"; res.StatusCode != http.StatusOK || string(body) != want {
		t.Errorf("%s %s", res.Status, body)
	}
	n.units(t, name, 20*10)
}

// openAIImages asks for images as OpenAI's clients do.
func (n *pipelineNodes) openAIImages(t *testing.T) {
	const name = "text-to-image"
	for _, how := range []string{"", "url", "b64_json"} {
		request := map[string]any{"model": pipelines.Model(name), "prompt": "a cat", "size": "64x48", "n": 2}
		if how != "" {
			request["response_format"] = how
		}
		res, body := n.postJSON(t, "/v1/images/generations", request)
		var out struct {
			Created int64
			Data    []struct {
				URL  string
				Data []byte `json:"b64_json"`
			}
		}
		if err := json.Unmarshal(body, &out); err != nil || res.StatusCode != http.StatusOK || len(out.Data) != 2 ||
			out.Created == 0 {
			t.Fatalf("%s: %v: %s %.200s", how, err, res.Status, body)
		}
		for i, made := range n.runner.Made(name) {
			got := out.Data[i].Data
			if how != "b64_json" {
				got = n.fetched(t, out.Data[i].URL)
			}
			if !bytes.Equal(got, made) {
				t.Errorf("%s: image %d is not the runner's: %.60s", how, i, base64.StdEncoding.EncodeToString(got))
			}
		}
	}
	n.units(t, name, 64*48*2)
}

// openAIAudio has sound made and understood as OpenAI's clients do.
func (n *pipelineNodes) openAIAudio(t *testing.T) {
	res, speech := n.postJSON(t, "/v1/audio/speech",
		map[string]any{"model": pipelines.Model("text-to-speech"), "input": "hello", "voice": "alloy",
			"response_format": "wav"})
	if kind := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "audio/wav") ||
		!bytes.Equal(speech, n.runner.Made("text-to-speech")[0]) {
		t.Fatalf("%s, %s: %.100q", res.Status, kind, speech)
	}
	for how, want := range map[string]string{
		"": `{"text":" one two"}` + "\n", "text": " one two\n",
		"srt": "1\n00:00:00,000 --> 00:00:01,500\none\n\n2\n00:00:01,500 --> 00:00:04,000\ntwo\n\n",
	} {
		fields := map[string]string{"model": pipelines.Model("audio-to-text")}
		if how != "" {
			fields["response_format"] = how
		}
		res, body := n.postForm(t, "/v1/audio/transcriptions", part{"file", pipelines.WAV(8000, 8000*4)}, fields)
		if res.StatusCode != http.StatusOK || string(body) != want {
			t.Errorf("%s: %s %q, want %q", how, res.Status, body, want)
		}
	}
}
