package e2e

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/pipelines"
)

// whisper is a model server of recordings, which translates.
func whisper(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"whisper-1","object":"model","owned_by":"vllm"}]}`)
	})
	mux.HandleFunc("GET /health", func(http.ResponseWriter, *http.Request) {})
	answers := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.ParseMultipartForm(8<<20) != nil || r.FormValue("model") != "whisper-1" || r.MultipartForm.File["file"] == nil {
				http.Error(w, `{"error":{"message":"file: is missing"}}`, http.StatusBadRequest)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"text":"`+text+`","segments":[{"id":0,"start":0,"end":2.5,"text":"`+text+`"}]}`)
		}
	}
	mux.HandleFunc("POST /v1/audio/transcriptions", answers("Guten Tag"))
	mux.HandleFunc("POST /v1/audio/translations", answers("Good day"))
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// TestTranslations: recordings are translated and transcribed through both nodes by an OpenAI-compatible server, in
// every format. A model that only a runner of the network has refuses a translation by name.
func TestTranslations(t *testing.T) {
	t.Parallel()
	runner, network := pipelines.Start(t), pipelines.Model("audio-to-text")
	of := func(id, url string) entry {
		return entry{"pipeline": "audio-to-text", "model_id": id, "warm": true, "price_per_unit": 0, "pixels_per_unit": 1,
			"url": url}
	}
	node, orch := aiOrchestrator(t, []entry{of("test/whisper", whisper(t)), of(network, runner.URL("audio-to-text"))})
	awaitModel(t, node, orch, "test/whisper", "ready")
	awaitModel(t, node, orch, network, "ready")
	_, gw := gateway(t, orch)
	post := func(path, model, format string) (int, string) {
		t.Helper()
		contentType, body := written(t, part{"file", pipelines.WAV(8000, 8000*3)},
			map[string]string{"model": model, "response_format": format})
		res, err := http.Post(gw+path, contentType, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(text)
	}
	for format, want := range map[string]string{
		"json": `{"text":"Good day"}` + "\n", "text": "Good day\n",
		"srt":          "1\n00:00:00,000 --> 00:00:02,500\nGood day\n\n",
		"vtt":          "WEBVTT\n\n00:00:00.000 --> 00:00:02.500\nGood day\n\n",
		"verbose_json": `"task":"translate","language":"english"`,
	} {
		status, text := post("/v1/audio/translations", "test/whisper", format)
		if status != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("%s: %d %q", format, status, text)
		}
	}
	if status, text := post("/v1/audio/transcriptions", "test/whisper", "json"); status != http.StatusOK ||
		text != `{"text":"Guten Tag"}`+"\n" {
		t.Errorf("a transcription: %d %q", status, text)
	}
	if status, text := post("/v1/audio/translations", network, "json"); status != http.StatusBadRequest ||
		!strings.Contains(text, "translation") {
		t.Errorf("the network's runner: %d %s", status, text)
	}
	if status, text := post("/v1/audio/transcriptions", network, "json"); status != http.StatusOK {
		t.Errorf("the network's runner transcribes: %d %s", status, text)
	}
}
