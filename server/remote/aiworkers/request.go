package aiworkers

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
)

// networkRequest returns a job's request in the form of the network's workers: JSON and a
// separate file. Errors are JobUnreadable and OperationUnsupported.
func networkRequest(job *inference.Job) (request, file []byte, err error) {
	p, known := pipeline.Lookup(job.Model.Capability)
	switch {
	case !known:
		return nil, nil, fault.New(fault.JobUnknown, opRun, "")
	case p.Capability == capability.LLM:
		if job.Operation != inference.Chat && job.Operation != "" {
			return nil, nil, fault.New(fault.OperationUnsupported, opRun, "workers of the network only chat")
		}
		if request = pipeline.NetworkLLM(job.Body); request == nil {
			return nil, nil, unreadable(errors.New("no chat request"))
		}
		return request, nil, nil
	case p.Form == pipeline.JSON:
		if !json.Valid(job.Body) {
			return nil, nil, unreadable(errors.New("no JSON"))
		}
		return job.Body, nil, nil
	}
	return formRequest(p, job)
}

// formRequest makes a JSON object of a form's fields. The file's is null.
func formRequest(p pipeline.Pipeline, job *inference.Job) (request, file []byte, err error) {
	fields := map[string]json.RawMessage{p.File: json.RawMessage("null")}
	err = pipeline.Parts(job.ContentType, job.Body, func(name, _ string, value []byte) error {
		if name == p.File {
			file = value
			return nil
		}
		v, err := fieldValue(name, value)
		if err == nil && v != nil {
			fields[name] = v
		}
		return err
	})
	if err != nil {
		return nil, nil, unreadable(err)
	}
	request, err = json.Marshal(fields)
	if err != nil {
		return nil, nil, unreadable(err)
	}
	return request, file, nil
}

// fieldKind is how JSON writes a field.
type fieldKind int

const (
	textKind fieldKind = iota
	wholeKind
	numberKind
	boolKind
)

// fieldKinds are the fields of the network's forms that are no text. Read-only.
var fieldKinds = map[string]fieldKind{
	"height": wholeKind, "width": wholeKind, "fps": wholeKind, "motion_bucket_id": wholeKind, "seed": wholeKind,
	"num_inference_steps": wholeKind, "num_images_per_prompt": wholeKind,
	"strength": numberKind, "guidance_scale": numberKind, "image_guidance_scale": numberKind,
	"noise_aug_strength": numberKind,
	"safety_check":       boolKind, "multimask_output": boolKind, "return_logits": boolKind, "normalize_coords": boolKind,
}

// fieldValue returns a form's field as JSON; nil leaves it out, as an empty number.
func fieldValue(name string, value []byte) (json.RawMessage, error) {
	kind := fieldKinds[name]
	text := strings.TrimSpace(string(value))
	if kind != textKind && text == "" {
		return nil, nil
	}
	switch kind {
	case boolKind:
		b, err := strconv.ParseBool(strings.ToLower(text))
		if err != nil {
			return nil, errors.New("the field \"" + name + "\" must be true or false")
		}
		return strconv.AppendBool(nil, b), nil
	case wholeKind:
		n, err := whole(text)
		if err != nil {
			return nil, errors.New("the field \"" + name + "\" must be a whole number")
		}
		return strconv.AppendInt(nil, n, 10), nil
	case numberKind:
		if !json.Valid([]byte(text)) || !strings.ContainsRune("-0123456789", rune(text[0])) {
			return nil, errors.New("the field \"" + name + "\" must be a number")
		}
		return json.RawMessage(text), nil
	}
	return json.Marshal(string(bytes.ToValidUTF8(value, nil)))
}

// whole reads a whole number, also one that is written with a fraction of zero.
func whole(text string) (int64, error) {
	if before, after, ok := strings.Cut(text, "."); ok && strings.Trim(after, "0") == "" {
		text = before
	}
	return strconv.ParseInt(text, 10, 64)
}

func unreadable(err error) error {
	return &fault.Fault{Code: fault.JobUnreadable, Op: opRun, Detail: err.Error(), Err: err}
}
