package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/pipelines"
)

// TestOpenAIMediaClient points the stock OpenAI client at a gateway for sounds, transcripts, images and moderation.
func TestOpenAIMediaClient(t *testing.T) {
	t.Parallel()
	packages, err := exec.Command("../../deploy/deps/deps.sh", "npm", "../openai").Output()
	if err != nil {
		t.Fatalf("the client's packages: %v\n%s", err, stderr(err))
	}
	n := startPipelines(t, "-aiModerationModel", pipelines.Model("llm"))
	n.runner.Does("llm", n.rates)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "--test", "--test-reporter=tap", "../openai/media.cjs")
	cmd.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(strings.TrimSpace(string(packages)), "node_modules"),
		"TUTTI_URL="+n.gw, "TUTTI_FILES="+mediaFiles(t))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "# fail 0") || strings.Contains(string(out), "# pass 0") {
		t.Errorf("the suite says\n%s", out)
	}
	// What the client asks for decides what is paid: a format costs nothing, a size is what the model works on.
	n.units(t, "text-to-speech", len("hello"))
	n.units(t, "image-to-image", 64*64)
	n.units(t, "audio-to-text", 4000)
}

// TestHostileSound: a runner's sound that no decoder gets through is an error of its orchestrator, and the gateway
// goes on.
func TestHostileSound(t *testing.T) {
	t.Parallel()
	n := startPipelines(t)
	speak := func() (*http.Response, []byte) {
		return n.postJSON(t, "/v1/audio/speech", map[string]any{"model": pipelines.Model("text-to-speech"), "input": "x"})
	}
	good := pipelines.FLAC(4)
	for name, sound := range map[string][]byte{
		"damaged": append(good[:200:200], bytes.Repeat([]byte{0xff, 0xf8}, 4000)...),
		"empty":   good[:42], "a picture": pipelines.PNG(8, 8, 1), "text": []byte("hello"),
	} {
		n.runner.Does("text-to-speech", func(w http.ResponseWriter, _ *http.Request) {
			_ = json.NewEncoder(w).Encode(map[string]any{"audio": map[string]any{
				"url": pipelines.DataURL("audio/flac", sound)}})
		})
		res, body := speak()
		if code := res.Header.Get("Tutti-Code"); res.StatusCode != http.StatusBadGateway || code != "ResultUnusable" {
			t.Errorf("%s: %s, %s: %.200s", name, res.Status, code, body)
		}
	}
	n.runner.Does("text-to-speech", nil)
	if res, body := speak(); res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "audio/mpeg" {
		t.Errorf("%s: %.200s", res.Status, body)
	}
}

// mediaFiles is a folder of what the suite sends.
func mediaFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var mask bytes.Buffer
	if err := png.Encode(&mask, image.NewNRGBA(image.Rect(0, 0, 32, 32))); err != nil { // all transparent
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"sound.wav": pipelines.WAV(8000, 8000*4), "image.png": pipelines.PNG(32, 32, 1), "mask.png": mask.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// rates is a model that takes texts with the word hurt for violence.
func (n *pipelineNodes) rates(w http.ResponseWriter, _ *http.Request) {
	asked, _ := n.runner.Last("llm")
	q, err := pipelines.ReadLLM(asked.Body)
	if err != nil {
		pipelines.Refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	var texts []string
	if err := json.Unmarshal([]byte(q.Messages[len(q.Messages)-1].Content), &texts); err != nil {
		pipelines.Refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	_, list, _ := strings.Cut(q.Messages[0].Content, "categories: ")
	var results []map[string]float64
	for _, text := range texts {
		scores := map[string]float64{}
		for name := range strings.SplitSeq(strings.TrimSuffix(list, "."), ", ") {
			scores[name] = 0.01
		}
		if strings.Contains(text, "hurt") {
			scores["violence"] = 0.9
		}
		results = append(results, scores)
	}
	rated, err := json.Marshal(map[string]any{"results": results})
	if err != nil {
		pipelines.Refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, "%s", q.Chunk(string(rated), "stop", 5, true))
}
