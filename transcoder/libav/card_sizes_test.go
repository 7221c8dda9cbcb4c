package libav_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/gpu/card"
)

// sized is a source of a certain size.
type sized struct {
	name, ext, recipe string
	// large says that it is for the long form only.
	large bool
}

// avc is a source in H.264.
func avc(name, size, more string) sized {
	return sized{name: name, ext: ".ts", recipe: moving(size) + " " + x264 + " " + more}
}

// odd makes a smooth frame of an odd size. Uploaded frames have a row and a column
// more then, so that sharp edges would end up next to those that the CPU makes.
const odd = "-vf scale=322:182,format=yuv444p,crop=321:181:0:0:exact=1,format="

// oddSizes are sources whose sides are no multiples of what codecs code in, and whose
// shown frame is a part of the coded one.
func oddSizes() []sized {
	crop := func(name, sides string) sized {
		return avc("cropped at "+name, "352x288", "-bsf:v h264_metadata=crop_"+strings.ReplaceAll(sides, " ", ":crop_"))
	}
	return []sized{
		avc("322x182", "322x182", "-bf 2"), avc("178x100", "178x100", ""), avc("tall", "180x320", ""),
		{name: "321x181 in 4:4:4", ext: ".ts", recipe: moving("80x46") + " " + odd +
			"yuv444p -c:v libx264 -preset ultrafast -threads 1"},
		{name: "321x181 in MPEG-2", ext: ".ts", recipe: moving("80x46") + " " + odd +
			"yuv420p -c:v mpeg2video -b:v 3M -threads 1"},
		{name: "vp9odd.webm"},
		crop("right and bottom", "left=0 top=0 right=12 bottom=6"), crop("the left", "left=128 top=0 right=0 bottom=0"),
		crop("the top", "left=0 top=16 right=0 bottom=0"), crop("all sides", "left=128 top=2 right=6 bottom=10"),
	}
}

// extremes are sources below and above what decoders of GPUs take.
func extremes() []sized {
	few := func(size string) string { return pattern(size, 25, 0.12) + " " + x264 }
	return []sized{
		avc("128x96", "128x96", ""), avc("64x64", "64x64", ""), avc("48x32", "48x32", ""), avc("16x16", "16x16", ""),
		{name: "hevc.ts"}, {name: "hevc10.mp4"}, {name: "vp8.webm"}, {name: "vp9.webm"}, {name: "av1.mp4"},
		{name: "3840x2160", ext: ".ts", recipe: few("3840x2160")},
		{name: "4096x2304", ext: ".ts", recipe: few("4096x2304"), large: true},
		{name: "5120x2880", ext: ".ts", recipe: few("5120x2880"), large: true},
		{name: "4608x144, wider than decoders of H.264 take", ext: ".ts", recipe: few("4608x144")},
	}
}

// TestCardOddSizes: what is shown of a source is what the CPU shows.
func TestCardOddSizes(t *testing.T) {
	sizes(t, oddSizes(), func(s sized) []byte {
		if s.recipe == "" {
			return stored(t, "card/"+s.name)
		}
		return makeClip(t, s.ext, s.recipe+" -muxdelay 0 -muxpreload 0 -output_ts_offset 10")
	})
}

// TestCardExtremeSizes: what the GPU's decoder refuses, the CPU decodes.
func TestCardExtremeSizes(t *testing.T) {
	sizes(t, extremes(), func(s sized) []byte {
		if s.recipe == "" {
			return stored(t, s.name)
		}
		return makeClip(t, s.ext, s.recipe+" -muxdelay 0 -muxpreload 0 -output_ts_offset 10")
	})
}

func sizes(t *testing.T, sources []sized, clip func(sized) []byte) {
	end := card.Deadline(t, 2*time.Minute)
	p := newPair(t, card.Load(t))
	for _, s := range sources {
		if s.large && !card.Full() || late(t, end, s.name) {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			j := in(s.name, clip(s), second()...)
			r := p.same(t, s.name, j)
			if r.card != nil {
				decodedWhere(t, s.name, r)
			}
			p.card.EndSession(j.Session)
		})
	}
}

// decodedWhere notes what decoded a segment, and why it was not the GPU.
func decodedWhere(t *testing.T, name string, r compared) {
	t.Helper()
	seen, figure := where(r.lost), ""
	if r.lost != "" {
		seen += ": " + reason(r.lost)
	}
	if r.decoded >= 0 {
		figure = fmt.Sprintf("%d frames for %d coded frames", r.decoded, r.card.DecodedFrames)
	}
	card.RecordCheck(t, name+": decoded where", seen, figure)
}

// TestCardSmallRenditions: renditions at and below the least size of the GPU's encoder
// have the sizes that the CPU gives them.
func TestCardSmallRenditions(t *testing.T) {
	p := newPair(t, card.Load(t))
	clip := gpuClips(t, 1)[0]
	tall := makeClip(t, ".ts", moving("180x320")+" "+x264)
	for _, size := range [][2]int{{160, 90}, {146, 82}, {128, 72}, {64, 36}, {16, 16}, {0, 50}} {
		profile := core.Profile{Name: fmt.Sprintf("%dx%d", size[0], size[1]), Width: size[0], Height: size[1],
			Bitrate: 800_000}
		p.same(t, "384x216 to "+profile.Name, in("wide", clip, profile))
		p.same(t, "180x320 to "+profile.Name, in("tall", tall, profile))
	}
}
