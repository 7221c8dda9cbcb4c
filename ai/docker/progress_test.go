package docker_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/ai/docker"
)

const pulled = `{"status":"Pulling from livepeer/ai-runner","id":"llm"}
{"status":"Pulling fs layer","progressDetail":{},"id":"a"}
{"status":"Pulling fs layer","progressDetail":{},"id":"b"}
{"status":"Already exists","progressDetail":{},"id":"c"}
{"status":"Downloading","progressDetail":{"current":1000000000,"total":4000000000},"progress":"[=>  ]","id":"a"}
{"status":"Downloading","progressDetail":{"current":1000000000,"total":2000000000},"id":"b"}
{"status":"Download complete","progressDetail":{},"id":"b"}
{"status":"Extracting","progressDetail":{"current":5,"total":10},"id":"b"}
{"status":"Pull complete","progressDetail":{},"id":"b"}
{"status":"Downloading","progressDetail":{"current":4000000000,"total":4000000000},"id":"a"}
{"status":"Pull complete","progressDetail":{},"id":"a"}
{"status":"Digest: sha256:00"}
{"status":"Status: Downloaded newer image for livepeer/ai-runner:llm"}
`

func TestProgress(t *testing.T) {
	t.Parallel()
	var told []string
	err := docker.Follow(strings.NewReader(strings.ReplaceAll(pulled, "\n", "\r\n")), "img", func(p docker.Progress) {
		if p.Image != "img" {
			t.Errorf("%+v", p)
		}
		told = append(told, p.String())
	})
	want := []string{"0 of 1 layers", "0 of 2 layers", "1 of 3 layers", "25 % of 4.0 GB", "33 % of 6.0 GB",
		"50 % of 6.0 GB", "100 % of 6.0 GB"}
	if err != nil || !slices.Equal(told, want) {
		t.Errorf("%q, %v, want %q", told, err, want)
	}
}

func TestFailedPulls(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"status":"Pulling fs layer","id":"a"}` + "\n" +
			`{"errorDetail":{"message":"no space left on device"},"error":"no space left on device"}`: "no space left on device",
		`{"error":"only this"}`:                      "only this",
		`{"errorDetail":{"code":404,"message":"x"}}`: "x",
		`not JSON`: "cannot be read",
		`{"status":"` + strings.Repeat("x", 1<<20) + `"}`: "too long",
	} {
		if err := docker.Follow(strings.NewReader(text), "img", func(docker.Progress) {}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want %q", text, err, want)
		}
	}
}

func TestProgressText(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]docker.Progress{
		"":                {},
		"42 % of 6.1 GB":  {Done: 2_600_000_000, Total: 6_100_000_000, Layers: 3},
		"0 % of 12 MB":    {Done: 1, Total: 12_000_000},
		"100 % of 512 kB": {Done: 512_000, Total: 512_000},
		"1 of 2 layers":   {Ready: 1, Layers: 2},
	} {
		if got := p.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func FuzzProgress(f *testing.F) {
	f.Add(pulled)
	f.Add(`{"status":"Downloading","progressDetail":{"current":-5,"total":9223372036854775807},"id":"a"}`)
	f.Add(`{"errorDetail":null,"error":""}`)
	f.Fuzz(func(t *testing.T, text string) {
		_ = docker.Follow(strings.NewReader(text), "img", func(p docker.Progress) {
			if p.Done < 0 || p.Done > p.Total || p.Ready > p.Layers || p.Layers > 1000 || p.String() == "" {
				t.Fatalf("%+v", p)
			}
		})
	})
}
