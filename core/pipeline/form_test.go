package pipeline_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/bmp"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
)

// webpFile is the header of a lossless WebP of 3 by 2 pixels.
const webpFile = "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x02\x40\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"

// image is a 3 by 2 image.
func picture(form string) []byte {
	img := image.NewPaletted(image.Rect(0, 0, 3, 2), color.Palette{color.Black, color.White})
	var b bytes.Buffer
	var err error
	switch form {
	case "png":
		err = png.Encode(&b, img)
	case "jpeg":
		err = jpeg.Encode(&b, img, nil)
	case "gif":
		err = gif.Encode(&b, img, nil)
	case "bmp":
		err = bmp.Encode(&b, img)
	case "webp":
		b.WriteString(webpFile)
	}
	if err != nil {
		panic(err)
	}
	return b.Bytes()
}

// written is a form with fields, name and value in turn, and a file.
func written(file string, data []byte, fields ...string) (contentType string, body []byte) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(fields); i += 2 {
		if err := w.WriteField(fields[i], fields[i+1]); err != nil {
			panic(err)
		}
	}
	if file != "" {
		p, err := w.CreateFormFile(file, `a "file".bin`)
		if err != nil {
			panic(err)
		}
		if _, err := p.Write(data); err != nil {
			panic(err)
		}
	}
	w.Close()
	return w.FormDataContentType(), b.Bytes()
}

// probe is a MediaProbe that knows one length.
type probe struct {
	length time.Duration
	err    error
}

func (p probe) Duration(context.Context, []byte) (time.Duration, error) { return p.length, p.err }

func TestUnits(t *testing.T) {
	t.Parallel()
	img := func(id capability.ID, form string, fields ...string) []any {
		ct, body := written("image", picture(form), append(fields, "model_id", "m")...)
		return []any{id, ct, body}
	}
	js := func(id capability.ID, body string) []any {
		return []any{id, "application/json", []byte(`{"model_id":"m",` + body + `}`)}
	}
	audio := func() []any {
		ct, body := written("audio", []byte("sound"), "model_id", "m", "metadata", `{"duration":"99"}`)
		return []any{capability.AudioToText, ct, body}
	}
	for _, tc := range []struct {
		name  string
		in    []any
		audio time.Duration
		want  inference.Units
	}{
		{"text-to-image", js(capability.TextToImage, `"prompt":"x"`), 0, 512 * 512},
		{"text-to-image, sized", js(capability.TextToImage,
			`"prompt":"x","width":1024,"height":576,"num_images_per_prompt":3`), 0, 1024 * 576 * 3},
		{"text-to-image, half sized", js(capability.TextToImage, `"prompt":"x","width":1024,"height":null`), 0, 1024 * 512},
		{"image-to-image, png", img(capability.ImageToImage, "png", "prompt", "x"), 0, 6},
		{"image-to-image, jpeg, 4", img(capability.ImageToImage, "jpeg", "prompt", "x", "num_images_per_prompt", "4"), 0, 24},
		{"upscale, gif", img(capability.Upscale, "gif", "prompt", "x"), 0, 6},
		{"segment-anything-2, bmp", img(capability.SegmentAnything2, "bmp", "box", "[1,2]"), 0, 6},
		{"image-to-text, webp", img(capability.ImageToText, "webp"), 0, 6},
		{"image-to-video", img(capability.ImageToVideo, "png"), 0, 576 * 1024 * 25},
		{"image-to-video, sized", img(capability.ImageToVideo, "png", "width", "64", "height", "32", "fps", "6.000000"), 0,
			64 * 32 * 25},
		{"audio-to-text", audio(), 61*time.Second + 999*time.Millisecond, 61000},
		{"audio-to-text, short", audio(), 300 * time.Millisecond, 1000},
		{"text-to-speech", js(capability.TextToSpeech, `"text":"h\u00e9\ud83d\ude00"`), 0, 7},
		{"text-to-speech, nothing", js(capability.TextToSpeech, `"description":"x"`), 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r, err := pipeline.Parse(tc.in[0].(capability.ID), "", tc.in[1].(string), tc.in[2].([]byte), probe{length: tc.audio})
			if err != nil {
				t.Fatal(err)
			}
			if r.Units != tc.want || r.Model.ID != "m" || string(r.Operation) != r.Model.Capability.Pipeline() {
				t.Errorf("%d units of %s, %s; want %d", r.Units, r.Model, r.Operation, tc.want)
			}
		})
	}
}

// TestSpeechAtTheNetwork: an orchestrator of the existing network debits characters, a
// thousand units each, and every other pipeline as we count.
func TestSpeechAtTheNetwork(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]inference.Units{
		`{"model_id":"m","text":"h\u00e9\ud83d\ude00"}`: 3000,
		`{"model_id":"m","text":"hé😀"}`:                 3000,
		`{"model_id":"m"}`:                              0,
	} {
		r, err := pipeline.Parse(capability.TextToSpeech, "", "application/json", []byte(body), nil)
		if err != nil || r.NetworkUnits != want || r.Job("", nil, "").NetworkUnits != want {
			t.Errorf("%s: %v, %+v, want %d", body, err, r, want)
		}
	}
	for _, p := range pipeline.Table() {
		want := int64(1)
		if p.Capability == capability.TextToSpeech {
			want = 1000
		}
		if got := pipeline.NetworkFactor(p.Capability); got != want {
			t.Errorf("%s: a unit costs %d times the price, want %d", p.Name, got, want)
		}
	}
}

func TestFormRefusals(t *testing.T) {
	t.Parallel()
	pic := picture("png")
	form := func(fields ...string) []string {
		ct, body := written("image", pic, fields...)
		return []string{ct, string(body)}
	}
	raw := func(body string) []string {
		return []string{"multipart/form-data; boundary=b", strings.ReplaceAll(body, "\n", "\r\n")}
	}
	file := "--b\nContent-Disposition: form-data; name=\"image\"; filename=\"x\"\n\n" + "GIF\n"
	for name, tc := range map[string]struct {
		id   capability.ID
		in   []string
		want fault.Code
	}{
		"no boundary": {capability.Upscale, []string{"multipart/form-data", "--b--"}, fault.JobUnreadable},
		"JSON":        {capability.Upscale, []string{"application/json", "{}"}, fault.JobUnreadable},
		"no form":     {capability.Upscale, raw("hello"), fault.JobUnreadable},
		"no end":      {capability.Upscale, raw(file), fault.JobUnreadable},
		"no file":     {capability.ImageToText, raw("--b--\n"), fault.JobUnreadable},
		"file twice":  {capability.ImageToText, raw(file + file + "--b--\n"), fault.JobUnreadable},
		"no model":    {capability.ImageToText, form(), fault.ModelMissing},
		"model twice": {capability.ImageToText, form("model_id", "m", "model_id", "n"), fault.JobUnreadable},
		"no prompt":   {capability.Upscale, form("model_id", "m"), fault.JobUnreadable},
		"part without name": {capability.ImageToText, raw("--b\nContent-Disposition: form-data\n\nx\n" + file + "--b--"),
			fault.JobUnreadable},
		"encoded part": {capability.ImageToText,
			raw("--b\nContent-Disposition: form-data; name=a\nContent-Transfer-Encoding: base64\n\nx\n" + file + "--b--"),
			fault.JobUnreadable},
		"folded header": {capability.ImageToText, raw("--b\nContent-Disposition: form-data;\n name=a\n\nx\n" + file +
			"--b--"), fault.JobUnreadable},
		"long field": {capability.ImageToText, form("prompt", strings.Repeat("x", 1<<20+1)), fault.JobUnreadable},
		"0 images": {capability.ImageToImage, form("model_id", "m", "prompt", "x", "num_images_per_prompt", "0"),
			fault.JobUnreadable},
		"too many images": {capability.ImageToImage, form("model_id", "m", "prompt", "x", "num_images_per_prompt",
			"9999999999"), fault.JobUnreadable},
		"fps":   {capability.ImageToVideo, form("model_id", "m", "fps", "NaN"), fault.JobUnreadable},
		"width": {capability.ImageToVideo, form("model_id", "m", "width", "wide"), fault.JobUnreadable},
		"no image": {capability.ImageToText, raw("--b\nContent-Disposition: form-data; name=model_id\n\nm\n" +
			file + "--b--"), fault.ImageUnreadable},
		"no such operation": {capability.ImageToText, nil, fault.JobUnknown},
		"more than counts": {capability.ImageToVideo, form("model_id", "m", "width", "2147483647", "height",
			"2147483647"), fault.UnitsTooMany},
		"JSON for text": {capability.TextToImage, []string{"application/json", `{"model_id":"m"}`}, fault.JobUnreadable},
		"negative width": {capability.TextToImage, []string{"application/json",
			`{"model_id":"m","prompt":"x","width":-1}`}, fault.JobUnreadable},
		"prompt a number": {capability.TextToImage, []string{"application/json", `{"model_id":"m","prompt":1}`},
			fault.JobUnreadable},
		"long model": {capability.TextToImage, []string{"application/json", `{"prompt":"x","model_id":"` +
			strings.Repeat("m", 600) + `"}`}, fault.JobUnreadable},
		"too many parts": {capability.ImageToText,
			raw(strings.Repeat("--b\nContent-Disposition: form-data; name=a\n\nx\n", 1) + manyParts(65) + "--b--"),
			fault.JobUnreadable},
		"text after a mark": {capability.ImageToText, raw("--bx\nContent-Disposition: form-data; name=a\n\nx\n--b--"),
			fault.JobUnreadable},
		"header without end": {capability.ImageToText, raw("--b\n" + strings.Repeat("x", 9000) + "\n\n--b--"),
			fault.JobUnreadable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			op := inference.Operation("")
			if tc.in == nil {
				tc.in, op = form("model_id", "m"), inference.Chat
			}
			_, err := pipeline.Parse(tc.id, op, tc.in[0], []byte(tc.in[1]), nil)
			wantCode(t, err, tc.want)
		})
	}
}

func manyParts(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("--b\nContent-Disposition: form-data; name=a" + strings.Repeat("a", i+1) + "\n\nx\n")
	}
	return b.String()
}

func TestAudioRefusals(t *testing.T) {
	t.Parallel()
	ct, body := written("audio", []byte("sound"), "model_id", "m")
	for name, media := range map[string]pipeline.MediaProbe{
		"no probe": nil, "no sound": probe{}, "no media": probe{err: errors.New("no media")},
	} {
		_, err := pipeline.Parse(capability.AudioToText, "", ct, body, media)
		wantCode(t, err, fault.AudioUnreadable)
		if got := fault.Wire(err); got != "Unable to calculate duration" {
			t.Errorf("%s: text %q", name, got)
		}
	}
	r, err := pipeline.Decode(capability.AudioToText, "", ct, body)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantCode(t, r.Measure(ctx, probe{err: context.Canceled}), fault.Canceled)
}

func TestComplete(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		id       capability.ID
		in, want string
	}{
		{capability.LLM, `{` + user + `}`, `{"model":"meta-llama/llama-3.1-8B-Instruct",` + user + `}`},
		{capability.LLM, `{"model":"", ` + user + `}`, `{"model":"meta-llama/llama-3.1-8B-Instruct",` + user + `}`},
		{capability.LLM, ` {"model":"m",` + user + `}`, ` {"model":"m",` + user + `}`},
		{capability.TextToImage, `{"prompt":"x","height":null}`,
			`{"model_id":"stabilityai/sdxl-turbo","width":512,"height":512,"prompt":"x"}`},
		{capability.TextToImage, `{"prompt":"x","height":9,"model_id":"m"}`,
			`{"width":512,"prompt":"x","height":9,"model_id":"m"}`},
	} {
		got, err := pipeline.Complete(tc.id, "", "application/json", []byte(tc.in), nil)
		if err != nil || string(got) != tc.want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", tc.in, err, got, tc.want)
		}
	}
	ct, body := written("image", picture("png"), "model_id", "", "fps", "5")
	got, err := pipeline.Complete(capability.ImageToVideo, "", ct, append([]byte("preamble\r\n"), body...), nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := pipeline.Parse(capability.ImageToVideo, "", ct, got, nil)
	if err != nil || r.Model.ID != "stabilityai/stable-video-diffusion-img2vid-xt" || r.Width != 1024 ||
		r.Height != 576 || r.FPS != 5 {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := pipeline.Complete(capability.LLM, "", "", []byte("{}"), nil); fault.CodeOf(err) != fault.JobUnreadable {
		t.Errorf("%v", err)
	}
	if _, err := pipeline.Complete(capability.H264, "", "", nil, nil); fault.CodeOf(err) != fault.JobUnknown {
		t.Errorf("%v", err)
	}
}

func TestWithDuration(t *testing.T) {
	t.Parallel()
	// What the client says of it does not count.
	ct, body := written("audio", []byte("sound"), "model_id", "m", "metadata", `{"duration":"99"}`)
	for length, want := range map[time.Duration]string{
		2900 * time.Millisecond: `{"duration":"2"}`, time.Millisecond: `{"duration":"1"}`, time.Hour: `{"duration":"3600"}`,
	} {
		got, err := pipeline.WithDuration(ct, body, length, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, params, _ := mime.ParseMediaType(ct)
		form, err := multipart.NewReader(bytes.NewReader(got), params["boundary"]).ReadForm(1 << 20)
		if err != nil || len(form.Value["metadata"]) != 1 || form.Value["metadata"][0] != want ||
			form.Value["model_id"][0] != "m" || len(form.File["audio"]) != 1 {
			t.Errorf("%v: %v: %+v", length, err, form)
		}
	}
	if _, err := pipeline.WithDuration("text/plain", body, time.Second, nil); fault.CodeOf(err) != fault.JobUnreadable {
		t.Errorf("%v", err)
	}
}

// TestNobodyMeasures: that no media worker can look at audio says nothing about it.
func TestWithoutAMediaProbe(t *testing.T) {
	t.Parallel()
	ct, body := written("audio", []byte("sound"), "model_id", "m")
	for _, code := range []fault.Code{fault.WorkerStartFailed, fault.WorkerQuarantined} {
		_, err := pipeline.Parse(capability.AudioToText, "", ct, body, probe{err: fault.New(code, "probe", "")})
		if fault.CodeOf(err) != code {
			t.Errorf("%s became %v", code, err)
		}
	}
	_, err := pipeline.Parse(capability.AudioToText, "", ct, body, probe{err: fault.New(fault.WorkerCrashed, "probe", "")})
	if fault.CodeOf(err) != fault.AudioUnreadable || fault.Wire(err) != "Unable to calculate duration" {
		t.Errorf("%v", err)
	}
}

// FuzzForm holds what is taken against the standard library's reader.
func FuzzForm(f *testing.F) {
	ct, body := written("image", picture("png"), "model_id", "m", "prompt", "x")
	f.Add(ct, body)
	f.Add("multipart/form-data; boundary=b", []byte("--b\r\nContent-Disposition: form-data; name=image\r\n\r\n\r\n--b--"))
	f.Add("multipart/form-data; boundary=\"a b\"",
		[]byte("--a b \r\nContent-Disposition: form-data; name=model_id\r\n\r\nm\r\n--a b--"))
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		for _, id := range []capability.ID{capability.Upscale, capability.ImageToVideo, capability.AudioToText} {
			r, err := pipeline.Decode(id, "", contentType, body)
			if completed, cerr := pipeline.Complete(id, "", contentType, body, nil); cerr == nil {
				if _, err := pipeline.Decode(id, "", contentType, completed); err != nil {
					t.Fatalf("a completed form is not taken: %v", err)
				}
			}
			if err != nil {
				continue
			}
			if got := standard(t, contentType, body, "model_id"); got != r.Model.ID {
				t.Errorf("model %q, the standard library reads %q", r.Model.ID, got)
			}
			_ = r.Measure(t.Context(), probe{})
		}
	})
}

func standard(t *testing.T, contentType string, body []byte, field string) string {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		t.Fatal(err)
	}
	r := multipart.NewReader(bytes.NewReader(body), params["boundary"])
	for {
		p, err := r.NextRawPart()
		if err != nil {
			return ""
		}
		if p.FormName() != field {
			continue
		}
		data, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
}

func FuzzImage(f *testing.F) {
	for _, form := range []string{"png", "jpeg", "gif", "bmp", "webp"} {
		f.Add(picture(form))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		ct, body := written("image", data, "model_id", "m")
		r, err := pipeline.Parse(capability.ImageToText, "", ct, body, nil)
		if err == nil && r.Units < 1 {
			t.Errorf("an image of %d units", r.Units)
		}
	})
}
