package aiapi

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// imageFields are the network's own fields of its image pipelines. Requests in OpenAI's form may
// use them too. Read-only.
var imageFields = []string{
	"loras", "strength", "guidance_scale", "image_guidance_scale", "negative_prompt",
	"safety_check", "seed", "num_inference_steps",
}

// openAIImages serves /v1/images/generations by text-to-image.
func (x *relayedRequest) openAIImages() error {
	in, err := x.readPayload()
	if err != nil {
		return err
	}
	o, err := readObject(in)
	if err != nil {
		return err
	}
	request, err := textToImage(o)
	if err != nil {
		return err
	}
	format, err := o.text("response_format")
	if err != nil {
		return err
	}
	out, err := x.networkJSON(request)
	if err != nil {
		return err
	}
	return x.sendImages(out, format, nil)
}

// textToImage converts OpenAI's request to the pipeline's.
func textToImage(o object) (object, error) {
	size, err := o.text("size")
	if err != nil {
		return nil, err
	}
	width, height, err := parseSize(size)
	if err != nil {
		return nil, err
	}
	if err := refuseStream(string(o["stream"])); err != nil {
		return nil, err
	}
	out := object{}
	for _, name := range slices.Concat(imageFields, []string{"prompt"}) {
		if raw, ok := o[name]; ok {
			out[name] = raw
		}
	}
	for from, to := range map[string]string{"model": "model_id", "n": "num_images_per_prompt"} {
		if o.has(from) {
			out[to] = o[from]
		}
	}
	if width > 0 {
		out["width"], out["height"] = json.RawMessage(strconv.Itoa(width)), json.RawMessage(strconv.Itoa(height))
	}
	return out, nil
}

// parseSize reads "1024x768". "" and "auto" leave the size to the pipeline.
func parseSize(s string) (width, height int, err error) {
	if s == "" || s == "auto" {
		return 0, 0, nil
	}
	w, h, _ := strings.Cut(s, "x")
	width, err = strconv.Atoi(w)
	if err == nil {
		height, err = strconv.Atoi(h)
	}
	if err != nil || width < 1 || height < 1 {
		return 0, 0, unreadable("size: must be <width>x<height> or auto")
	}
	return width, height, nil
}

// sendImages generates images, changes them where change is not nil, and answers in OpenAI's form.
func (x *relayedRequest) sendImages(in payload, format string, change func(*mediaAnswer) error) error {
	if err := oneOf("response_format", format, "", "url", "b64_json"); err != nil {
		return err
	}
	m, err := x.prepareAndMake(in, change)
	if err != nil {
		return unlessRefused(err)
	}
	var answer []byte
	if format == "b64_json" {
		answer, err = x.imageData(m)
	} else {
		answer, err = x.imageURLs(m)
	}
	if err != nil {
		return err
	}
	x.sendWhole(http.StatusOK, "application/json", answer)
	x.complete = true
	return nil
}

// imageURLs is OpenAI's answer with URLs of images that this gateway keeps.
func (x *relayedRequest) imageURLs(m *mediaAnswer) ([]byte, error) {
	if _, err := x.keepResults(m); err != nil {
		return nil, err
	}
	out := x.beginImages()
	for i, url := range m.urls {
		quoted, _ := json.Marshal(url) // a text cannot fail
		out = append(append(out, imageField("url", i)...), quoted...)
		out = append(out, '}')
	}
	return append(out, "]}\n"...), nil
}

// imageData is OpenAI's answer with the images inlined. Its buffer is allocated once at the right
// size, because images are large.
func (x *relayedRequest) imageData(m *mediaAnswer) ([]byte, error) {
	const around = 64 // JSON punctuation, per image and for the list
	size := around
	for _, r := range m.results {
		size += base64.StdEncoding.EncodedLen(len(r.data)) + around
	}
	if err := x.grow(int64(size)); err != nil {
		return nil, err
	}
	out := append(make([]byte, 0, size), x.beginImages()...)
	for i, r := range m.results {
		out = append(append(out, imageField("b64_json", i)...), '"')
		out = append(base64.StdEncoding.AppendEncode(out, r.data), `"}`...)
	}
	return append(out, "]}\n"...), nil
}

// beginImages returns the start of the answer.
func (x *relayedRequest) beginImages() []byte {
	return []byte(`{"created":` + itoa(x.server.opt.Now().Unix()) + `,"data":[`)
}

// imageField returns the start of the i-th image, with the name of its only field.
func imageField(name string, i int) string {
	if i == 0 {
		return `{"` + name + `":`
	}
	return `,{"` + name + `":`
}
