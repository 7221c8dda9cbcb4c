package clip

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/libav"
)

// renditionSource is a segment that renditions are compared with.
type renditionSource struct{ report *libav.FileReport }

// ReadRendition decodes a source segment, which must hold video.
func ReadRendition(ctx context.Context, segment []byte) (renditionSource, error) {
	r, err := libav.Inspect(ctx, segment)
	if err != nil {
		return renditionSource{}, fmt.Errorf("read the source: %w", err)
	}
	if r.Video == nil || len(r.Video.Frames) == 0 {
		return renditionSource{}, errors.New("the source holds no frame")
	}
	return renditionSource{r}, nil
}

// Frames returns the number of frames in the source.
func (s renditionSource) Frames() int { return len(s.report.Video.Frames) }

// ErrDiffers is in the errors of Rendition about one that can be decoded.
var ErrDiffers = errors.New("not the rendition that was asked for")

// differences are what is wrong with a rendition.
type differences []string

func (d *differences) add(format string, args ...any) { *d = append(*d, fmt.Sprintf(format, args...)) }

// Rendition compares a rendition with what the profile asks for. The error names
// everything that is wrong.
func (s renditionSource) Rendition(ctx context.Context, data []byte, p core.Profile) error {
	r, err := libav.Inspect(ctx, data)
	if err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	if r.Video == nil || len(r.Video.Frames) == 0 {
		return fmt.Errorf("%s: %w: no frame", p.Name, ErrDiffers)
	}
	var found differences
	if err := s.size(&found, r, p); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	s.times(&found, r, p)
	stream(&found, r)
	s.sound(&found, r)
	if len(found) > 0 {
		return fmt.Errorf("%s: %w: %s", p.Name, ErrDiffers, strings.Join(found, "; "))
	}
	return nil
}

func (s renditionSource) size(found *differences, r *libav.FileReport, p core.Profile) error {
	first := s.report.Video.Frames[0]
	width, height, err := transcoder.OutputSize(first.Width, first.Height, p)
	if err != nil {
		return err
	}
	for i, f := range r.Video.Frames {
		if f.Width != width || f.Height != height {
			found.add("frame %d is %d×%d, want %d×%d", i, f.Width, f.Height, width, height)
			break
		}
	}
	return nil
}

// times compares presentation times: all of them without rate conversion, the
// first one and the number of frames with it.
func (s renditionSource) times(found *differences, r *libav.FileReport, p core.Profile) {
	want, got := s.report.Video, r.Video
	num, den := p.FPS.Norm()
	if num == 0 {
		if len(got.Frames) != len(want.Frames) {
			found.add("%d frames, want %d", len(got.Frames), len(want.Frames))
			return
		}
		for i := range got.Frames {
			if a, b := renditionTicks(got, i), renditionTicks(want, i); a != b {
				found.add("frame %d is shown at %d, want %d", i, a, b)
				return
			}
		}
		return
	}
	frame := 90000 * den / num
	if d := renditionTicks(got, 0) - renditionTicks(want, 0); max(d, -d) > frame {
		found.add("the first frame is shown at %d, want %d", renditionTicks(got, 0), renditionTicks(want, 0))
		return
	}
	last := len(want.Frames) - 1
	length := renditionTicks(want, last) - renditionTicks(want, 0)
	if last > 0 {
		length += length / int64(last)
	}
	expected := max(length*num/(den*90000), 1)
	if d := int64(len(got.Frames)) - expected; max(d, -d) > 1 {
		found.add("%d frames, want %d", len(got.Frames), expected)
	}
}

// renditionTicks returns the presentation time of frame i in 1/90000 s.
func renditionTicks(v *libav.VideoReport, i int) int64 {
	return v.Frames[i].PTS * 90000 * v.BaseNum / v.BaseDen
}

// stream checks what a player depends on.
func stream(found *differences, r *libav.FileReport) {
	v := r.Video
	if !v.Packets[0].Key {
		found.add("it does not begin with a key frame")
	}
	for i := 1; i < len(v.Packets); i++ {
		if v.Packets[i].DTS <= v.Packets[i-1].DTS {
			found.add("decoding times go backwards at packet %d", i)
			break
		}
	}
	for i, f := range v.Frames {
		if f.Damaged {
			found.add("frame %d is damaged", i)
			break
		}
	}
}

// sound compares audio packet by packet.
func (s renditionSource) sound(found *differences, r *libav.FileReport) {
	want, got := s.report.Audio, r.Audio
	switch {
	case (want == nil) != (got == nil):
		found.add("sound in the source: %t, in the rendition: %t", want != nil, got != nil)
		return
	case want == nil:
		return
	case len(got.Packets) != len(want.Packets):
		found.add("%d audio packets, want %d", len(got.Packets), len(want.Packets))
		return
	}
	for i := range want.Packets {
		if got.Packets[i].MD5 != want.Packets[i].MD5 {
			found.add("audio packet %d is not the source's", i)
			return
		}
	}
}
