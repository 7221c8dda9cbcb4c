package capability

import (
	"errors"
	"strings"
)

// ErrPipeline is the text peers know for a pipeline name that means nothing.
var ErrPipeline = errors.New("pipeline not available")

// FromPipeline finds the capability of a pipeline name: "text-to-image" is
// TextToImage. It returns Unused and ErrPipeline for any other name.
//
// The rule is the network's: first letter in upper case, hyphens as spaces, then
// the exact name. BYOC, whose name starts in lower case, is therefore not
// reachable as a pipeline.
func FromPipeline(name string) (ID, error) {
	want := strings.ReplaceAll(name, "-", " ")
	if want == "" {
		return Unused, ErrPipeline
	}
	if c := want[0]; 'a' <= c && c <= 'z' {
		want = string(c-'a'+'A') + want[1:]
	}
	for id, have := range names {
		if have != "" && have == want {
			return ID(id), nil
		}
	}
	return Unused, ErrPipeline
}

// Pipeline returns the capability's name as a pipeline, "text-to-image", or "" for a
// number without a name.
func (id ID) Pipeline() string {
	return strings.ReplaceAll(strings.ToLower(id.name()), " ", "-")
}
