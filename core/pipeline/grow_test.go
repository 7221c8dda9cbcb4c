package pipeline_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/pipeline"
)

// Code that rewrites a body asks for its memory before, and for all of it.
func TestRewritesAskForTheirMemory(t *testing.T) {
	t.Parallel()
	ct, form := written("image", picture("png"), "prompt", "x")
	audioType, audio := written("audio", []byte("sound"), "model_id", "m")
	long := "multipart/form-data; boundary=" + strings.Repeat("b", 70)
	bare := []byte(strings.ReplaceAll("--B\r\nContent-Disposition: form-data; name=image\r\n\r\nx\r\n--B--", "B",
		strings.Repeat("b", 70)))
	for name, write := range map[string]func(grow func(int64) error) ([]byte, error){
		"form": func(grow func(int64) error) ([]byte, error) {
			return pipeline.Complete(capability.Upscale, "", ct, form, grow)
		},
		"form, long boundary": func(grow func(int64) error) ([]byte, error) {
			return pipeline.Complete(capability.ImageToVideo, "", long, bare, grow)
		},
		"JSON": func(grow func(int64) error) ([]byte, error) {
			return pipeline.Complete(capability.TextToImage, "", "", []byte(`{"prompt":"x"}`), grow)
		},
		"duration": func(grow func(int64) error) ([]byte, error) {
			return pipeline.WithDuration(audioType, audio, time.Minute, grow)
		},
	} {
		var asked int64
		out, err := write(func(n int64) error { asked += n; return nil })
		if err != nil || asked < int64(cap(out)) || len(out) == 0 {
			t.Errorf("%s: %v: asked for %d bytes, holds %d", name, err, asked, cap(out))
		}
		full := errors.New("full")
		if out, err := write(func(int64) error { return full }); err != full || out != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	whole := func(int64) error { t.Error("asked for nothing"); return nil }
	ct, form = written("image", picture("png"), "prompt", "x", "model_id", "m")
	if out, err := pipeline.Complete(capability.Upscale, "", ct, form, whole); err != nil || &out[0] != &form[0] {
		t.Errorf("a whole form: %v", err)
	}
}

func TestParts(t *testing.T) {
	t.Parallel()
	ct, form := written("image", picture("png"), "prompt", "x", "prompt", "")
	var got []string
	err := pipeline.Parts(ct, form, func(name, file string, value []byte) error {
		got = append(got, name+"="+file)
		if name == "image" && (!bytes.Equal(value, picture("png")) || cap(value) <= len(value)) {
			t.Error("the file is not the body's own bytes")
		}
		return nil
	})
	if want := `prompt=|prompt=|image=a "file".bin`; err != nil || strings.Join(got, "|") != want {
		t.Errorf("%v, %q", err, got)
	}
	mine := errors.New("mine")
	if err := pipeline.Parts(ct, form, func(string, string, []byte) error { return mine }); err != mine {
		t.Error(err)
	}
	if pipeline.Parts("text/plain", form, nil) == nil ||
		pipeline.Parts(ct, form[:len(form)-20], func(string, string, []byte) error { return nil }) == nil {
		t.Error("no form is taken for one")
	}
}
