package clip

import (
	"context"
	"errors"
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/libav"
)

// renditionSource is a segment that renditions are compared with.
type renditionSource struct{ report *libav.FileReport }

// ReadRendition decodes a source segment, which must hold video.
func ReadRendition(ctx context.Context, segment []byte) (renditionSource, error) {
	r, err := libav.Verify(ctx, segment)
	if err != nil {
		return renditionSource{}, fmt.Errorf("read the source: %w", err)
	}
	if r.Video == nil || len(r.Video.Frames) == 0 {
		return renditionSource{}, errors.New("the source holds no picture")
	}
	return renditionSource{r}, nil
}

// Frames is the number of pictures in the source.
func (s renditionSource) Frames() int { return len(s.report.Video.Frames) }

// Rendition compares a rendition with what the profile asks for. The error joins
// everything that is wrong.
func (s renditionSource) Rendition(ctx context.Context, data []byte, p core.Profile) error {
	r, err := libav.Verify(ctx, data)
	if err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	if r.Video == nil || len(r.Video.Frames) == 0 {
		return fmt.Errorf("%s: no picture", p.Name)
	}
	problems := []error{s.size(r, p), s.times(r, p), stream(r), s.sound(r)}
	if err := errors.Join(problems...); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	return nil
}

func (s renditionSource) size(r *libav.FileReport, p core.Profile) error {
	first := s.report.Video.Frames[0]
	width, height, err := transcoder.OutputSize(first.Width, first.Height, p)
	if err != nil {
		return err
	}
	for i, f := range r.Video.Frames {
		if f.Width != width || f.Height != height {
			return fmt.Errorf("picture %d is %d×%d, want %d×%d", i, f.Width, f.Height, width, height)
		}
	}
	return nil
}

// times compares presentation times: all of them without rate conversion, the
// first one and the number of pictures with it.
func (s renditionSource) times(r *libav.FileReport, p core.Profile) error {
	want, got := s.report.Video, r.Video
	num, den := p.FPS.Norm()
	if num == 0 {
		if len(got.Frames) != len(want.Frames) {
			return fmt.Errorf("%d pictures, want %d", len(got.Frames), len(want.Frames))
		}
		for i := range got.Frames {
			if a, b := renditionTicks(got, i), renditionTicks(want, i); a != b {
				return fmt.Errorf("picture %d is shown at %d, want %d", i, a, b)
			}
		}
		return nil
	}
	frame := 90000 * den / num
	if d := renditionTicks(got, 0) - renditionTicks(want, 0); max(d, -d) > frame {
		return fmt.Errorf("the first picture is shown at %d, want %d", renditionTicks(got, 0), renditionTicks(want, 0))
	}
	last := len(want.Frames) - 1
	length := renditionTicks(want, last) - renditionTicks(want, 0)
	if last > 0 {
		length += length / int64(last)
	}
	expected := max(length*num/(den*90000), 1)
	if d := int64(len(got.Frames)) - expected; max(d, -d) > 1 {
		return fmt.Errorf("%d pictures, want %d", len(got.Frames), expected)
	}
	return nil
}

// renditionTicks is the presentation time of picture i in 1/90000 s.
func renditionTicks(v *libav.VideoReport, i int) int64 {
	return v.Frames[i].PTS * 90000 * v.BaseNum / v.BaseDen
}

// stream checks what a player depends on.
func stream(r *libav.FileReport) error {
	v := r.Video
	if !v.Packets[0].Key {
		return errors.New("it does not begin with a key frame")
	}
	for i := 1; i < len(v.Packets); i++ {
		if v.Packets[i].DTS <= v.Packets[i-1].DTS {
			return fmt.Errorf("decoding times go backwards at packet %d", i)
		}
	}
	for i, f := range v.Frames {
		if f.Damaged {
			return fmt.Errorf("picture %d is damaged", i)
		}
	}
	return nil
}

// sound compares audio packet by packet.
func (s renditionSource) sound(r *libav.FileReport) error {
	want, got := s.report.Audio, r.Audio
	if (want == nil) != (got == nil) {
		return fmt.Errorf("sound in the source: %t, in the rendition: %t", want != nil, got != nil)
	}
	if want == nil {
		return nil
	}
	if len(got.Packets) != len(want.Packets) {
		return fmt.Errorf("%d audio packets, want %d", len(got.Packets), len(want.Packets))
	}
	for i := range want.Packets {
		if got.Packets[i].MD5 != want.Packets[i].MD5 {
			return fmt.Errorf("audio packet %d is not the source's", i)
		}
	}
	return nil
}
