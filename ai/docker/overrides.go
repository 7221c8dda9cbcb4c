package docker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/distribution/reference"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
)

const (
	maxOverrideBytes = 64 << 10
	maxOverrideNames = 1000
)

// ParseOverrides reads the value of -aiRunnerImageOverrides:
//
//	{"default": "<image>", "batch": {"<pipeline>": "<image>"}, "live": {"<model>": "<image>"}}
//
// An empty text gives the zero Images. The error is ImageOverridesInvalid and
// names every field that is wrong, not only the first.
func ParseOverrides(text string) (Images, error) {
	if strings.TrimSpace(text) == "" {
		return Images{}, nil
	}
	if len(text) > maxOverrideBytes {
		return Images{}, invalidOverrides("longer than 64 KiB")
	}
	var raw struct {
		Default *string           `json:"default"`
		Batch   map[string]string `json:"batch"`
		Live    map[string]string `json:"live"`
	}
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(&raw); err != nil {
		return Images{}, invalidOverrides(jsonProblem(err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Images{}, invalidOverrides("something follows the JSON object")
	}
	if len(raw.Batch)+len(raw.Live) > maxOverrideNames {
		return Images{}, invalidOverrides("more than 1000 images")
	}
	images := Images{Batch: raw.Batch, Live: raw.Live}
	if raw.Default != nil {
		images.Default = *raw.Default
	}
	problems := overrideProblems(images, raw.Default != nil)
	if len(problems) > 0 {
		return Images{}, invalidOverrides(strings.Join(problems, "; "))
	}
	return images, nil
}

func invalidOverrides(detail string) error {
	return fault.New(fault.ImageOverridesInvalid, "read -aiRunnerImageOverrides", detail)
}

// jsonProblem describes a decoder's error in terms of the option.
func jsonProblem(err error) string {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		field := wrong.Field
		if field == "" {
			return "must be a JSON object, not " + wrong.Value
		}
		return fmt.Sprintf("%q must be %s, not %s", field, jsonKind(wrong.Type.Kind().String()), wrong.Value)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "the JSON ends too early"
	}
	return clean(strings.TrimPrefix(err.Error(), "json: "))
}

func jsonKind(kind string) string {
	if kind == "map" {
		return "an object"
	}
	return "a string"
}

func overrideProblems(i Images, hasDefault bool) (problems []string) {
	add := func(field, problem string) { problems = append(problems, field+": "+problem) }
	if hasDefault {
		if p := imageProblem(i.Default); p != "" {
			add(`"default"`, p)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(i.Batch)) {
		field := `"batch"."` + clean(name) + `"`
		if _, err := capability.FromPipeline(name); err != nil {
			add(field, "is no pipeline")
		} else if name == livePipeline {
			add(field, `live models go under "live"`)
		}
		if p := imageProblem(i.Batch[name]); p != "" {
			add(field, p)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(i.Live)) {
		field := `"live"."` + clean(name) + `"`
		if name == "" {
			add(field, "names no model")
		}
		if p := imageProblem(i.Live[name]); p != "" {
			add(field, p)
		}
	}
	return problems
}

// CheckImage checks the syntax of an image's name. The error is ImageNameInvalid.
func CheckImage(image string) error {
	if p := imageProblem(image); p != "" {
		return fault.New(fault.ImageNameInvalid, "read image", p)
	}
	return nil
}

func imageProblem(image string) string {
	if image == "" {
		return "the image is empty"
	}
	if _, err := reference.ParseNormalizedNamed(image); err != nil {
		return quote(image) + " cannot be an image: " + clean(err.Error())
	}
	return ""
}

// quote cleans and quotes an external text.
func quote(s string) string { return strconv.Quote(clean(s)) }
