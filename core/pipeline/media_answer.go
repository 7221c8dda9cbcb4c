package pipeline

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// videoFPS is what a video is made with where the request leaves it open.
const videoFPS = 7

// MediaAnswer is what the pipelines of images, video and sound answer. A field that
// is not there stays away.
type MediaAnswer struct {
	Images Media      `json:"images,omitempty"`
	Frames MediaLists `json:"frames,omitempty"`
	Audio  *Medium    `json:"audio,omitempty"`
}

// Media is a list of them, MediaLists one of lists. What a model server answers is read into
// them: one of very many empty elements would become forty times as large as its text.
type (
	Media      []Medium
	MediaLists []Media
)

// maxMedia bounds the elements of a list, a video's frames among them.
const maxMedia = 1024

var errManyMedia = errors.New("too many images or frames")

// UnmarshalJSON reads a list that is not too long.
func (m *Media) UnmarshalJSON(b []byte) error { return unmarshalList(b, (*[]Medium)(m)) }

// UnmarshalJSON reads a list that is not too long.
func (m *MediaLists) UnmarshalJSON(b []byte) error { return unmarshalList(b, (*[]Media)(m)) }

func unmarshalList[T any](b []byte, into *[]T) error {
	c, n := &cursor{text: b}, 0
	if c.peek() == '[' {
		err := c.array(func() error {
			if n++; n > maxMedia {
				return errManyMedia
			}
			_, err := c.value()
			return err
		})
		if err != nil {
			return err
		}
	}
	return json.Unmarshal(b, into)
}

// Medium is one image, video or sound. Seed is as it was written: a number may be
// larger than what others hold.
type Medium struct {
	URL  string          `json:"url"`
	Seed json.RawMessage `json:"seed,omitempty"`
	NSFW *bool           `json:"nsfw,omitempty"`
}

var (
	errDataURL = errors.New("a data URL that cannot be read")
	errFrame   = errors.New("a frame that is no PNG")
)

// VideoOptions are what a request wants of a video; 0 is the usual.
type VideoOptions struct {
	FPS           float64
	Width, Height int
}

// EncodeMP4 makes an MP4 of PNG images, in frames per second and pixels.
type EncodeMP4 func(ctx context.Context, frames [][]byte, fps float64, width, height int) ([]byte, error)

// MakeVideos makes every list of frames of an answer a video among its images. The
// faults are VideoEncoderMissing where encode is nil, ResponseUnusable, and those of
// encode.
func (a *MediaAnswer) MakeVideos(ctx context.Context, o VideoOptions, encode EncodeMP4) error {
	for _, frames := range a.Frames {
		if len(frames) == 0 {
			continue
		}
		video, err := makeVideo(ctx, frames, o, encode)
		if err != nil {
			return err
		}
		a.Images = append(a.Images, video)
	}
	a.Frames = nil
	return nil
}

// makeVideo makes one of frames. It has the seed of its first frame.
func makeVideo(ctx context.Context, frames []Medium, o VideoOptions, encode EncodeMP4) (Medium, error) {
	const op = "encode video"
	if encode == nil {
		return Medium{}, fault.New(fault.VideoEncoderMissing, op, "")
	}
	pictures := make([][]byte, len(frames))
	video := Medium{Seed: frames[0].Seed, NSFW: frames[0].NSFW}
	for i, f := range frames {
		kind, data, err := DataURL(f.URL)
		if err != nil || kind != "image/png" {
			return Medium{}, &fault.Fault{Code: fault.ResponseUnusable, Op: op,
				Detail: "the runner's answer cannot be used: " + errFrame.Error(), Err: errFrame}
		}
		pictures[i] = data
		if f.NSFW != nil && *f.NSFW {
			video.NSFW = f.NSFW
		}
	}
	mp4, err := encode(ctx, pictures, cmp.Or(o.FPS, videoFPS), cmp.Or(o.Width, videoWidth), cmp.Or(o.Height, videoHeight))
	if err != nil {
		return Medium{}, err
	}
	video.URL = "data:video/mp4;base64," + base64.StdEncoding.EncodeToString(mp4)
	return video, nil
}

// DataURL reads "data:<type>;base64,<bytes>". The type is in lower case, without
// parameters; no bytes are an error.
func DataURL(url string) (kind string, data []byte, err error) {
	rest, ok := strings.CutPrefix(url, "data:")
	head, text, found := strings.Cut(rest, ",")
	kind, encoded := strings.CutSuffix(head, ";base64")
	if !ok || !found || !encoded {
		return "", nil, errDataURL
	}
	kind, _, _ = strings.Cut(kind, ";")
	data, err = base64.StdEncoding.DecodeString(text)
	if err != nil || len(data) == 0 {
		return "", nil, errDataURL
	}
	return strings.ToLower(kind), data, nil
}
