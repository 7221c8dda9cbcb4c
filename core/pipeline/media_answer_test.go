package pipeline_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
)

func dataURL(kind, text string) string {
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString([]byte(text))
}

func TestFramesBecomeAVideo(t *testing.T) {
	t.Parallel()
	read := func(kind string) *pipeline.MediaAnswer {
		var a pipeline.MediaAnswer
		text := `{"frames":[[],[{"url":"` + dataURL("image/png", "one") + `","seed":12345678901234567890},{"url":"` +
			dataURL(kind, "two") + `","nsfw":true}]]}`
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.Fatal(err)
		}
		return &a
	}
	encode := func(_ context.Context, frames [][]byte, fps float64, width, height int) ([]byte, error) {
		if len(frames) != 2 || string(frames[1]) != "two" || fps != 7 || width != 640 || height != 576 {
			t.Errorf("%q at %v, %dx%d", frames, fps, width, height)
		}
		return []byte("video"), nil
	}
	wants := pipeline.VideoOptions{Width: 640}
	a := read("image/png")
	if err := a.MakeVideos(t.Context(), wants, encode); err != nil {
		t.Fatal(err)
	}
	if len(a.Frames) != 0 || len(a.Images) != 1 || a.Images[0].URL != dataURL("video/mp4", "video") ||
		string(a.Images[0].Seed) != "12345678901234567890" ||
		a.Images[0].NSFW == nil || !*a.Images[0].NSFW {
		t.Errorf("%+v", a)
	}
	if err := read("image/jpeg").MakeVideos(t.Context(), wants, encode); fault.CodeOf(err) != fault.ResponseUnusable {
		t.Errorf("a frame that is no PNG: %v", err)
	}
	if err := read("image/png").MakeVideos(t.Context(), wants, nil); fault.CodeOf(err) != fault.VideoEncoderMissing {
		t.Errorf("no pipeline makes videos: %v", err)
	}
}

func TestDataURL(t *testing.T) {
	t.Parallel()
	kind, data, err := pipeline.DataURL("data:Image/PNG;charset=x;base64,aGk=")
	if err != nil || kind != "image/png" || string(data) != "hi" {
		t.Errorf("%q, %q, %v", kind, data, err)
	}
	for _, url := range []string{"", "http://x/y.png", "data:image/png,hi", "data:image/png;base64,",
		"data:image/png;base64,!!", "data:image/png;base64"} {
		if _, _, err := pipeline.DataURL(url); err == nil {
			t.Errorf("%q is read", url)
		}
	}
}

// Many empty elements would become much larger than their text.
func TestManyMediaCostBoundedMemory(t *testing.T) {
	const size = 12 << 20
	for name, element := range map[string]string{"images": "{}", "Images": "{}", "frames": "[]"} {
		text := `{"` + name + `":[` + element + strings.Repeat(","+element, size/3) + "]}"
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var a pipeline.MediaAnswer
		if json.Unmarshal([]byte(text), &a) == nil {
			t.Errorf("%s: %d and %d are taken", name, len(a.Images), len(a.Frames))
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 2*size {
			t.Errorf("%s: %d MiB for an answer of %d", name, used>>20, len(text)>>20)
		}
	}
	var a pipeline.MediaAnswer
	text := `{"images":null,"frames":[[{"url":"a"},{"url":"b","seed":12345678901234567890}],[]],"audio":{"url":"c"}}`
	err := json.Unmarshal([]byte(text), &a)
	if err != nil || len(a.Frames) != 2 || len(a.Frames[0]) != 2 || a.Audio == nil {
		t.Errorf("%+v, %v", a, err)
	}
}
