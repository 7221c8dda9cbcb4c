package pipeline_test

import (
	"context"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
)

// FuzzMediaAnswer reads what model servers answer: it becomes media with addresses that can be read, or a fault.
func FuzzMediaAnswer(f *testing.F) {
	f.Add([]byte(`{"images":[{"url":"data:image/png;base64,AA==","seed":18446744073709551615,"nsfw":true}]}`))
	f.Add([]byte(`{"frames":[[{"url":"data:image/png;base64,AA=="},{"url":"data:IMAGE/PNG;x=y;base64,AAA="}],[],null]}`))
	f.Add([]byte(`{"audio":{"url":"data:audio/wav;base64,"},"images":[{}]}`))
	encode := func(_ context.Context, frames [][]byte, fps float64, width, height int) ([]byte, error) {
		for _, frame := range frames {
			if len(frame) == 0 || fps <= 0 || width < 1 || height < 1 {
				f.Errorf("a frame of %d bytes at %v, %d by %d", len(frame), fps, width, height)
			}
		}
		return []byte("mp4"), nil
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var a pipeline.MediaAnswer
		if json.Unmarshal(text, &a) != nil {
			return
		}
		if err := a.MakeVideos(t.Context(), pipeline.VideoOptions{}, encode); err != nil {
			if fault.CodeOf(err) != fault.ResponseUnusable {
				t.Fatal(err)
			}
			return
		}
		for _, m := range a.Images {
			if _, data, err := pipeline.DataURL(m.URL); err == nil && len(data) == 0 {
				t.Errorf("%q has no bytes", m.URL)
			}
		}
		if _, err := json.Marshal(a); err != nil {
			t.Errorf("%q cannot be sent: %v", text, err)
		}
	})
}

// FuzzAddresses: the positions of addresses are those of JSON strings, in order, which decode to their texts.
func FuzzAddresses(f *testing.F) {
	for _, body := range []string{
		`{"messages":[{"content":[{"type":"image_url","image_url":{"url":"http://x"}},` +
			`{"file":{"file_data":"http:\/\/y"}}]}]}`,
		`{"url":["a",{"href":"\u0068"}],"metadata":{"url":"z"}}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		last := 0
		_ = pipeline.LocateAddresses(capability.LLM, "", body, func(a *pipeline.Address) error {
			var text string
			if a.From < last || a.To <= a.From || a.To > len(body) || body[a.From] != '"' || body[a.To-1] != '"' {
				t.Fatalf("at %d to %d of %q", a.From, a.To, body)
			}
			last = a.To
			if err := json.Unmarshal(body[a.From:a.To], &text); err == nil && len(text) < 1000 && utf8.Valid(body) &&
				text != a.Text {
				t.Fatalf("%q is %q", a.Text, text)
			}
			return nil
		})
	})
}
