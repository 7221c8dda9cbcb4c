package pipeline

import (
	"cmp"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/pm"
)

// decode reads a request, which must name a model.
func decode(p Pipeline, op inference.Operation, contentType string, body []byte) (*Request, error) {
	r, err := read(p, op, contentType, body)
	if err != nil {
		return nil, err
	}
	if r.Model.ID == "" {
		missing := &fieldError{p.modelField(), "the request names no model"}
		return nil, &fault.Fault{Code: fault.ModelMissing, Op: "decode request", Detail: missing.Error(), Err: missing}
	}
	return r, nil
}

// read is decode for a request that may leave out its model.
func read(p Pipeline, op inference.Operation, contentType string, body []byte) (*Request, error) {
	const step = "decode request"
	var r *Request
	var err error
	switch {
	case p.Capability == capability.LLM:
		r, err = decodeLLM(op, body)
	case !p.has(op):
		return nil, fault.New(fault.JobUnknown, step, "no such operation")
	case p.Form == Multipart:
		r, err = decodeForm(p, contentType, body)
	default:
		r, err = decodeJSON(p, body)
	}
	if fault.CodeOf(err) == fault.JobUnknown {
		return nil, err
	}
	if err != nil {
		return nil, &fault.Fault{Code: fault.JobUnreadable, Op: step, Detail: err.Error(), Err: err}
	}
	r.Model.Capability = p.Capability
	if r.Operation == "" {
		r.Operation = cmp.Or(op, inference.Operation(p.Name))
	}
	// A name that no quote can contain cannot be paid for. The longest names of the network have
	// about 100 bytes.
	if len(r.Model.ID) > pm.MaxModelID || !utf8.ValidString(r.Model.ID) {
		return nil, fault.New(fault.JobUnreadable, step, "model: the name is too long or no text")
	}
	return r, nil
}

// has reports whether a pipeline other than llm has an operation; "" is the one that the network knows.
func (p Pipeline) has(op inference.Operation) bool {
	return op == "" || op == inference.Operation(p.Name) ||
		op == inference.Translation && p.Capability == capability.AudioToText
}

// decodeJSON reads text-to-image and text-to-speech.
func decodeJSON(p Pipeline, body []byte) (*Request, error) {
	r := &Request{N: 1}
	var width, height, images int64
	var prompt, text string
	c := &cursor{text: body}
	image := p.Capability == capability.TextToImage
	err := c.object(func(key []byte) error {
		switch k := string(key); {
		case k == "model_id":
			return c.textField(&r.Model.ID)
		case k == "text" && !image:
			return c.textField(&text)
		case k == "prompt" && image:
			return c.textField(&prompt)
		case k == "width" && image:
			return c.countField(&width)
		case k == "height" && image:
			return c.countField(&height)
		case k == "num_images_per_prompt" && image:
			return c.countField(&images)
		}
		_, err := c.value()
		return err
	})
	if err == nil {
		err = c.end()
	}
	if err != nil {
		return nil, err
	}
	if image && prompt == "" {
		return nil, errPrompt
	}
	r.text, r.characters = len(text), utf8.RuneCountInString(text)
	r.PromptBytes = len(text) + len(prompt)
	return r, r.sizes(width, height, images)
}

var (
	errPrompt = &fieldError{"prompt", "the field is missing"}
	errSize   = errors.New("width, height or num_images_per_prompt is too large")
)

// sizes takes in what a request says of its image; 0 is nothing.
func (r *Request) sizes(width, height, images int64) error {
	if max(width, height, images) > math.MaxInt32 {
		return errSize
	}
	r.Width, r.Height, r.N = int(width), int(height), int(max(1, images))
	return nil
}

// decodeForm reads the pipelines that take a file.
func decodeForm(p Pipeline, contentType string, body []byte) (*Request, error) {
	f, err := readForm(contentType, p.File, body)
	if err != nil {
		return nil, err
	}
	r := &Request{Model: inference.Model{ID: string(f.fields["model_id"])}, N: 1, measured: measured{file: f.file}}
	prompt := f.fields["prompt"]
	r.PromptBytes = len(prompt)
	switch p.Capability {
	case capability.ImageToImage:
		n, err := f.count("num_images_per_prompt")
		if err != nil {
			return nil, err
		}
		if err := r.sizes(0, 0, n); err != nil {
			return nil, err
		}
		fallthrough
	case capability.Upscale:
		if len(prompt) == 0 {
			return nil, errPrompt
		}
	case capability.ImageToVideo:
		return r, r.video(f)
	}
	return r, nil
}

// video reads the size and frame rate of an image-to-video request.
func (r *Request) video(f *form) error {
	width, err := f.count("width")
	if err != nil {
		return err
	}
	height, err := f.count("height")
	if err != nil {
		return err
	}
	fps := strings.TrimSpace(string(f.fields["fps"]))
	if fps != "" {
		const most = 1000
		r.FPS, err = strconv.ParseFloat(fps, 64)
		if err != nil || !(r.FPS > 0 && r.FPS <= most) {
			return &fieldError{"fps", "a number above 0 was expected"}
		}
	}
	return r.sizes(width, height, 1)
}

// count reads a whole number of at least 1, 0 where there is none.
func (f *form) count(name string) (int64, error) {
	text := strings.TrimSpace(string(f.fields[name]))
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, &fieldError{name, "a whole number of at least 1 was expected"}
	}
	return n, nil
}
