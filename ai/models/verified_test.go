package models_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/core/capability"
)

func TestShippedList(t *testing.T) {
	t.Parallel()
	if err := models.Extend(models.Verified{}, "verified.json", string(models.ShippedJSON)); err != nil {
		t.Fatal(err)
	}
	v := models.Shipped()
	for _, p := range models.Pipelines() {
		if len(v[p.Capability]) == 0 {
			t.Errorf("no model of %s is verified", p.Name())
		}
		seen := map[string]bool{}
		for _, id := range v[p.Capability] {
			if seen[id] {
				t.Errorf("%s is listed twice", id)
			}
			seen[id] = true
		}
	}
	// The models that gateways ask for when a request names none.
	for _, c := range []struct {
		id    capability.ID
		model string
	}{
		{capability.TextToImage, "stabilityai/sdxl-turbo"}, {capability.ImageToImage, "stabilityai/sdxl-turbo"},
		{capability.ImageToVideo, "stabilityai/stable-video-diffusion-img2vid-xt"},
		{capability.Upscale, "stabilityai/stable-diffusion-x4-upscaler"},
		{capability.AudioToText, "openai/whisper-large-v3"}, {capability.LLM, "meta-llama/llama-3.1-8B-Instruct"},
		{capability.SegmentAnything2, "facebook/sam2-hiera-large"},
		{capability.ImageToText, "Salesforce/blip-image-captioning-large"},
		{capability.TextToSpeech, "parler-tts/parler-tts-large-v1"}, {capability.LiveVideoToVideo, "noop"},
	} {
		if !v.Has(c.id, c.model) {
			t.Errorf("%s %s is not verified", c.id.Pipeline(), c.model)
		}
	}
	if v.Has(capability.LLM, "stabilityai/sdxl-turbo") || v.Has(capability.LLM, "") {
		t.Error("a model of another pipeline is verified")
	}
	// The list is the caller's own.
	v[capability.LLM][0] = "changed"
	if models.Shipped().Has(capability.LLM, "changed") {
		t.Error("the shipped list was changed")
	}
}

func TestOwnLists(t *testing.T) {
	t.Parallel()
	for _, content := range []string{
		`{"llm": ["acme/own", "acme/two"], "upscale": ["acme/up"]}`,
		"\ufeff{\"llm\": [\"acme/own\", \"acme/two\"], \"upscale\": [\"acme/up\"]}",
		"# ours\nllm acme/own\n\n  llm\tacme/two # the other\r\nupscale acme/up",
	} {
		v := models.Verified{}
		if err := models.Extend(v, "own", content); err != nil {
			t.Errorf("%q: %v", content, err)
		}
		if got := jsonText(t, v); got != `{"30":["acme/up"],"33":["acme/own","acme/two"]}` {
			t.Errorf("%q is read as %s", content, got)
		}
	}
}

func TestBrokenLists(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ content, want string }{
		{"[]", `own:1: it is an array, not an object; write {"llm": ["org/model", …], …}`},
		{"{\n\"llm\": \"x\",\n\"lllm\": [],\n\"llm\": [7,\n\"a b\"]}",
			"own:2: \"llm\" is a string, not an array; write {\"llm\": [\"org/model\", …], …}\n" +
				"own:3: \"lllm\" is no pipeline; did you mean llm?\n" +
				"own:4: a model ID is a number, not a string; write {\"llm\": [\"org/model\", …], …}\n" +
				"own:5: \"a b\" holds white space or control characters; correct or delete it"},
		{"{\"llm\": [}", "own:1:10: this is not JSON: invalid character '}' looking for beginning of value"},
		{"{" + strings.Repeat(`"llm": [],`, 100_001) + `"llm": []}`, "own: more than 100000 values; shorten the file"},
		{"llm\nllm a b\nx y\nllm ../x", "own:1: this is not a pipeline and a model ID; write llm org/model\nown:2: this " +
			"is not a pipeline and a model ID; write llm org/model\n" +
			"own:3: \"x\" is no pipeline; write text-to-image, image-to-image, image-to-video, upscale, audio-to-text, " +
			"segment-anything-2, llm, image-to-text, live-video-to-video or text-to-speech\n" +
			"own:4: \"../x\" is no model ID; correct or delete it"},
	} {
		err := models.Extend(models.Verified{}, "own", c.content)
		if err == nil || err.Error() != c.want {
			t.Errorf("got\n%v\nwant\n%s", err, c.want)
		}
	}
	if err := models.Extend(models.Verified{}, "own", strings.Repeat("llm x\n", 10_001)); err == nil ||
		!strings.Contains(err.Error(), "own:10001: more than 10000 model IDs") {
		t.Errorf("a list without end: %v", err)
	}
	if lines := problemLines(models.Extend(models.Verified{}, "own",
		strings.Repeat("nonsense\n", 5000))); len(lines) > 200 {
		t.Errorf("%d problems are told", len(lines))
	}
}

// A broken list of one's own costs what only it would allow, and nothing else.
func TestBrokenListLeavesTheShippedOne(t *testing.T) {
	t.Parallel()
	for _, own := range []string{"none.txt", "forbidden", "broken.txt"} {
		list, err := json.Marshal([]map[string]any{
			{"pipeline": "llm", "model_id": "google/gemma-2-9b-it", "warm": false},
			{"pipeline": "llm", "model_id": "acme/own", "warm": false},
		})
		if err != nil {
			t.Fatal(err)
		}
		cfg, _, err := models.Load(models.Options{Value: "m.json", VerifiedFile: own, Offchain: true,
			ReadFile: files(map[string]string{"m.json": string(list), "broken.txt": "llm\n"})})
		lines := problemLines(err)
		if len(cfg.Entries) != 1 || len(cfg.Refused) != 1 || cfg.Refused[0].ModelID != "acme/own" || len(lines) != 2 ||
			!strings.HasPrefix(lines[0], own) {
			t.Errorf("%s: %+v %q", own, cfg, lines)
		}
	}
}
