package docker_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/core/fault"
)

func TestImageChoice(t *testing.T) {
	t.Parallel()
	given := docker.Images{
		Default: "own/runner:1",
		Batch:   map[string]string{"llm": "own/llm:1", "upscale": "own/upscale:1"},
		Live:    map[string]string{"noop": "own/noop:1", "mine": "own/mine:1"},
	}
	tests := []struct {
		images                 docker.Images
		pipeline, model, entry string
		want                   string
	}{
		{docker.Images{}, "text-to-image", "m", "", "livepeer/ai-runner:latest"},
		{docker.Images{}, "llm", "m", "", "livepeer/ai-runner:llm"},
		{docker.Images{}, "audio-to-text", "m", "", "livepeer/ai-runner:audio-to-text"},
		{docker.Images{}, "segment-anything-2", "m", "", "livepeer/ai-runner:segment-anything-2"},
		{docker.Images{}, "text-to-speech", "m", "", "livepeer/ai-runner:text-to-speech"},
		{docker.Images{}, "live-video-to-video", "comfyui", "", "livepeer/ai-runner:live-app-comfyui"},
		{docker.Images{}, "live-video-to-video", "streamdiffusion-sdxl", "",
			"livepeer/ai-runner:live-app-streamdiffusion-sdxl"},
		{docker.Images{}, "live-video-to-video", "scope", "", "daydreamlive/scope-runner"},
		{given, "text-to-image", "m", "", "own/runner:1"},
		{given, "llm", "m", "", "own/llm:1"},
		{given, "upscale", "m", "", "own/upscale:1"},
		// The built-in image of a pipeline goes before the default.
		{given, "text-to-speech", "m", "", "livepeer/ai-runner:text-to-speech"},
		{given, "live-video-to-video", "noop", "", "own/noop:1"},
		{given, "live-video-to-video", "mine", "", "own/mine:1"},
		{given, "llm", "m", "entry/llm:2", "entry/llm:2"},
		{given, "live-video-to-video", "nobody", "entry/live:2", "entry/live:2"},
	}
	for _, tt := range tests {
		got, err := tt.images.For(tt.pipeline, tt.model, tt.entry)
		if err != nil || got != tt.want {
			t.Errorf("%s %s: %q, %v, want %q", tt.pipeline, tt.model, got, err, tt.want)
		}
	}
	// Neither the default nor batch images are for live models.
	if got, err := given.For("live-video-to-video", "nobody", ""); !errors.Is(err, fault.ImageOverridesInvalid) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestOverridesMistakes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`livepeer/ai-runner:1`:       "invalid character",
		`[]`:                         "must be a JSON object, not array",
		`{"default":`:                "the JSON ends too early",
		`{} {}`:                      "something follows",
		`{"defualt":"a:1"}`:          `unknown field "defualt"`,
		`{"default":1}`:              `"default" must be a string, not number`,
		`{"default":""}`:             `"default": the image is empty`,
		`{"default":"UPPER/Case:1"}`: `"default": "UPPER/Case:1" cannot be an image`,
		`{"batch":"a:1"}`:            `"batch" must be an object, not string`,
		`{"batch":{"llm":["a:1"]}}`:  "must be a string, not array",
		`{"batch":{"lllm":"a:1"}}`:   `"batch"."lllm": is no pipeline`,
		`{"batch":{"live-video-to-video":"a:1"}}`:      `go under "live"`,
		`{"live":{"":"a:1"}}`:                          "names no model",
		`{"batch":{"llm":"a b"},"live":{"noop":"::"}}`: `"live"."noop": "::" cannot be an image`,
		`{"batch":{"llm":"a b"},"live":{"m":""}}`:      `"batch"."llm": "a b" cannot be an image`,
		strings.Repeat(" ", 70000) + `{"default":1}`:   "longer than 64 KiB",
	} {
		_, err := docker.ParseOverrides(text)
		if !errors.Is(err, fault.ImageOverridesInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q in it", text, err, want)
		}
	}
}

func TestOverrides(t *testing.T) {
	t.Parallel()
	got, err := docker.ParseOverrides(` {"default": "r.example:5000/a/b:1", "batch": {"llm": "c@sha256:` +
		strings.Repeat("a", 64) + `"}, "live": {"noop": "d"}} `)
	if err != nil {
		t.Fatal(err)
	}
	if got.Default != "r.example:5000/a/b:1" || !strings.HasPrefix(got.Batch["llm"], "c@") || got.Live["noop"] != "d" {
		t.Errorf("%+v", got)
	}
	for _, none := range []string{"", "  \n"} {
		if got, err := docker.ParseOverrides(none); err != nil || got.Default != "" {
			t.Errorf("%q: %+v, %v", none, got, err)
		}
	}
}

func FuzzOverrides(f *testing.F) {
	f.Add(`{"default":"a:1","batch":{"llm":"b"},"live":{"noop":"c"}}`)
	f.Add(`{"batch":{"llm":1}}`)
	f.Add(`{"live":null}`)
	f.Fuzz(func(t *testing.T, text string) {
		images, err := docker.ParseOverrides(text)
		if err != nil {
			if !errors.Is(err, fault.ImageOverridesInvalid) || strings.ContainsAny(err.Error(), "\n\x1b\x00") {
				t.Fatalf("%q", err)
			}
			return
		}
		for pipeline := range images.Batch {
			if image, err := images.For(pipeline, "m", ""); err != nil || docker.CheckImage(image) != nil {
				t.Fatalf("%q for %q: %v", image, pipeline, err)
			}
		}
	})
}

func TestCheckTag(t *testing.T) {
	t.Parallel()
	tests := []struct {
		image, reported string
		want            string // part of the mismatch, "" for none
	}{
		{"livepeer/ai-runner:llm", "", ""},
		{"livepeer/ai-runner", "", ""},
		{"livepeer/ai-runner:latest", "0.14.1", ""},
		{"livepeer/ai-runner:latest", "v0.14.0-3-gabcdef", ""},
		{"livepeer/ai-runner:latest", "undefined", ""},
		{"livepeer/ai-runner:latest", "0.0.0", ""},
		{"livepeer/ai-runner:latest", "0.13.2", "the runner is of release 0.13.2"},
		{"livepeer/ai-runner:latest", "1.14.0", "release 1.14.0"},
		{"livepeer/ai-runner:latest", "0.140.0", "release 0.140.0"},
		{"livepeer/ai-runner:0.14.2", "", ""},
		{"livepeer/ai-runner:llm-0.14.2", "", ""},
		{"livepeer/ai-runner:v0.12.0", "", "tag v0.12.0"},
		{"livepeer/ai-runner:llm-0.13.7", "undefined", "tag llm-0.13.7"},
		{"mirror.example:5000/livepeer/ai-runner:0.13.7-llm", "", "tag 0.13.7-llm"},
		// What the runner says counts before its tag.
		{"livepeer/ai-runner:0.13.7", "0.14.0", ""},
		// Other makers' versions are their own.
		{"vllm/vllm-openai:v0.6.1", "", ""},
		{"own/llm:2.0", "", ""},
		{"livepeer/ai-runner@sha256:" + strings.Repeat("a", 64), "", ""},
		{"not an image", "", ""},
	}
	for _, tt := range tests {
		got := docker.CheckTag(tt.image, tt.reported)
		if tt.want == "" {
			if got != nil {
				t.Errorf("%s, %q: %v", tt.image, tt.reported, got)
			}
			continue
		}
		if got == nil || got.Code != fault.RunnerVersionMismatch || !strings.Contains(got.Detail, tt.want) {
			t.Errorf("%s, %q: %v, want %q in it", tt.image, tt.reported, got, tt.want)
		}
	}
}

func TestName(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ pipeline, model, want string }{
		{"llm", "meta-llama/Meta-Llama-3.1-8B-Instruct", "llm_meta-llama-Meta-Llama-3.1-8B-Instruct_8500"},
		{"text-to-image", "SG161222/RealVisXL_V4.0", "text-to-image_SG161222-RealVisXL-V4.0_8500"},
		{"llm", "../é x", "llm_x_8500"},
		{"llm", "", "llm_x_8500"},
		{"llm", strings.Repeat("a", 500), "llm_" + strings.Repeat("a", 100) + "_8500"},
	} {
		if got := docker.Name(tt.pipeline, tt.model, 8500); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.model, got, tt.want)
		}
	}
}
