package gateway

import (
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/telemetry"
)

// pushRequest is a push without its body.
type pushRequest struct {
	segmentPath
	// Path is the stream's name in the path; Manifest may be that of a header.
	Path     core.ManifestID
	Duration time.Duration
	// Width and Height of the source as the client states them, 0 if unknown.
	Width, Height int
	Clip          *core.Clip
	// Multipart: the client wants the renditions in the response.
	Multipart bool
	// Config is nil when the client sent none.
	Config *configuration
	// Parent is the client's span, if it has one.
	Parent telemetry.Parent
}

// readPush reads path and headers. Errors are faults PushPath, PushHeader,
// PushConfiguration, and those of profiles.
func readPush(path string, h http.Header) (*pushRequest, error) {
	sp, err := parsePush(path)
	if err != nil {
		return nil, err
	}
	r := &pushRequest{segmentPath: sp, Path: sp.Manifest, Multipart: wantsMultipart(h),
		Parent: telemetry.FromHeader(h)}
	if r.Duration, err = parseDuration(h.Get("Content-Duration")); err != nil {
		return nil, err
	}
	if r.Width, r.Height, err = parseResolution(h.Get("Content-Resolution")); err != nil {
		return nil, err
	}
	if r.Clip, err = parseSlice(h.Get("Content-Slice-From"), h.Get("Content-Slice-To")); err != nil {
		return nil, err
	}
	if text := h.Get("Livepeer-Transcode-Configuration"); text != "" {
		if r.Config, err = parseConfiguration([]byte(text)); err != nil {
			return nil, err
		}
		if id := r.Config.ManifestID; id != "" {
			r.Manifest = core.ManifestID(id)
		}
	}
	return r, nil
}

func badHeader(format string, args ...any) error {
	return fault.New(fault.PushHeader, "read headers", fmt.Sprintf(format, args...))
}

// parseDuration reads milliseconds.
func parseDuration(text string) (time.Duration, error) {
	if text == "" {
		return core.DefaultSegmentDuration, nil
	}
	ms, err := strconv.ParseInt(text, 10, 32)
	d := time.Duration(ms) * time.Millisecond
	switch {
	case err != nil || d < 0 || d > core.MaxSegmentDuration:
		return 0, badHeader("Content-Duration %.32q is not 0 to %d milliseconds", text,
			core.MaxSegmentDuration.Milliseconds())
	case d == 0:
		return core.DefaultSegmentDuration, nil
	}
	return d, nil
}

// maxSide bounds a stated width or height, in pixels.
const maxSide = 1 << 15

// parseResolution reads <width>x<height>.
func parseResolution(text string) (width, height int, err error) {
	if text == "" {
		return 0, 0, nil
	}
	w, h, ok := strings.Cut(text, "x")
	width, errW := strconv.Atoi(w)
	height, errH := strconv.Atoi(h)
	if !ok || errW != nil || errH != nil || width <= 0 || height <= 0 || width > maxSide || height > maxSide {
		return 0, 0, badHeader("Content-Resolution %.32q is not <width>x<height>", text)
	}
	return width, height, nil
}

// parseSlice reads the requested part of the segment, in milliseconds.
func parseSlice(from, to string) (*core.Clip, error) {
	if from == "" && to == "" {
		return nil, nil
	}
	read := func(name, text string) (time.Duration, error) {
		if text == "" {
			return 0, nil
		}
		ms, err := strconv.ParseUint(text, 10, 32)
		if d := time.Duration(ms) * time.Millisecond; err == nil && d <= core.MaxSegmentDuration {
			return d, nil
		}
		return 0, badHeader("%s %.32q is not 0 to %d milliseconds", name, text, core.MaxSegmentDuration.Milliseconds())
	}
	var c core.Clip
	var err error
	if c.From, err = read("Content-Slice-From", from); err != nil {
		return nil, err
	}
	if c.To, err = read("Content-Slice-To", to); err != nil {
		return nil, err
	}
	if c.To > 0 && c.To < c.From {
		return nil, badHeader("the slice ends at %s ms, before it begins at %s ms", to, from)
	}
	return &c, nil
}

// wantsMultipart looks for multipart/mixed among the accepted types. A wildcard does not count.
func wantsMultipart(h http.Header) bool {
	for _, line := range h.Values("Accept") {
		for part := range strings.SplitSeq(line, ",") {
			if t, _, err := mime.ParseMediaType(part); err == nil && t == "multipart/mixed" {
				return true
			}
		}
	}
	return false
}
