package libav_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/gpu/card"
)

// source is a clip that a GPU may decode or not.
type source struct {
	name, ext string
	// recipe makes it; without one it is the stored clip of that name.
	recipe string
	// format is what its frames are compared in.
	format string
	// always says that every GPU with a decoder takes it; never, that our filters
	// cannot take it from any.
	always, never bool
	// inexact says that decoders of this codec may round differently.
	inexact bool
	// unreal says that the simulated driver makes wrong frames of it.
	unreal bool
}

func (s source) clip(t testing.TB) []byte {
	t.Helper()
	if s.recipe != "" {
		return makeClip(t, s.ext, s.recipe+" -muxdelay 0 -muxpreload 0 -output_ts_offset 10")
	}
	return stored(t, filepath.Join("card", s.name))
}

// moving is 20 frames of a moving test pattern.
func moving(size string) string { return pattern(size, 25, 0.8) }

// h264 is a recipe of H.264 with some settings.
func h264(name, settings string) source {
	return source{name: "H.264 " + name, ext: ".ts", recipe: moving("320x180") +
		" -c:v libx264 -preset veryfast -threads 1 -pix_fmt yuv420p " + settings,
		format: "yuv420p", always: true}
}

func mpeg2(name, settings string) source {
	return source{name: "MPEG-2 " + name, ext: ".ts", recipe: moving("320x192") +
		" -c:v mpeg2video -b:v 3M -threads 1 " + settings,
		format: "yuv420p", always: true, inexact: true}
}

// codecs are the kinds of streams that gateways send, and that GPUs decode.
func codecs() []source {
	return []source{
		h264("with B-frames", "-bf 3 -x264-params b-pyramid=normal:ref=4:weightp=2"),
		h264("baseline", "-profile:v baseline"),
		h264("interlaced", "-flags +ildct+ilme -x264-params tff=1"),
		h264("in slices", "-x264-params slices=4"),
		h264("with open GOPs", "-bf 2 -x264-params open-gop=1:keyint=8"),
		h264("with scaling matrices", "-x264-params cqm=jvt"),
		h264("with intra refresh", "-x264-params intra-refresh=1:keyint=10"),
		{name: "H.264 in MP4", ext: ".mp4", recipe: moving("320x180") + " " + x264 + " -bf 2", format: "yuv420p",
			always: true},
		{name: "H.264 of full range", ext: ".ts", recipe: moving("320x180") +
			" -c:v libx264 -preset ultrafast -threads 1 -vf scale=out_range=full -pix_fmt yuvj420p",
			format: "yuvj420p", always: true},
		mpeg2("with B-frames", "-bf 2"), mpeg2("interlaced", "-flags +ildct+ilme -top 1"),
		{name: "hevc.ts", format: "yuv420p"}, {name: "hevc10.mp4", format: "yuv420p10le"},
		{name: "vp8.webm", format: "yuv420p"},
		{name: "vp9.webm", format: "yuv420p"}, {name: "vp910.webm", format: "yuv420p10le"},
		{name: "av1.mp4", format: "yuv420p"}, {name: "av110.mp4", format: "yuv420p10le"},
	}
}

// formats are frames that not every GPU decodes, whatever the codec.
func formats() []source {
	gray := h264("gray", "-pix_fmt gray")
	gray.format, gray.always, gray.unreal = "gray", false, true
	high := func(name, format string, never bool) source {
		return source{name: "H.264 of " + name, ext: ".ts", recipe: moving("320x180") +
			" -c:v libx264 -preset ultrafast -threads 1 -pix_fmt " + format,
			format: format, never: never}
	}
	return []source{
		high("10 bits", "yuv420p10le", false), high("4:2:2", "yuv422p", true),
		high("4:2:2 of 10 bits", "yuv422p10le", true),
		high("4:4:4", "yuv444p", false), gray,
		{name: "hevc422.mp4", format: "yuv422p10le", never: true}, {name: "hevc444.mp4", format: "yuv444p"},
	}
}

// TestCardDecodes: streams of all codecs give the frames that the CPU makes of them,
// whether the GPU decodes them or leaves them to the CPU. What the GPU's decoder can
// do, the engine makes use of.
func TestCardDecodes(t *testing.T) { decodesAll(t, codecs()) }

// TestCardFormats: the same for more bits and other chroma than 8-bit 4:2:0.
func TestCardFormats(t *testing.T) { decodesAll(t, formats()) }

func decodesAll(t *testing.T, sources []source) {
	end := card.Deadline(t, 2*time.Minute)
	c := card.Load(t)
	p := newPair(t, c)
	for _, s := range sources {
		if late(t, end, s.name) {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			clip := s.clip(t)
			able, known := decoderOf(t, c, s, clip)
			j := in(s.name, clip, second()...)
			r := p.frames(t, s.name, j)
			r.fiction = r.fiction || s.unreal && !c.Real()
			p.pictures(t, s.name, j, r)
			if r.card != nil {
				usesDecoder(t, s, r, able, known)
			}
			p.card.EndSession(j.Session)
		})
	}
}

// usesDecoder checks that the engine has a stream decoded on the GPU where it can be.
func usesDecoder(t *testing.T, s source, r compared, able, known bool) {
	t.Helper()
	at := where(r.lost)
	figure := ""
	if r.decoded >= 0 {
		figure = fmt.Sprintf("%d frames for %d coded frames", r.decoded, r.card.DecodedFrames)
	}
	if r.lost != "" {
		card.RecordCheck(t, s.name+": why the CPU takes part", reason(r.lost), "")
	}
	switch what := s.name + ": decoded"; {
	case s.always:
		card.CheckThat(t, at == "on the GPU", what+" where", "on the GPU", at, figure)
	case s.never || !known:
		card.RecordCheck(t, what+" where", at, figure)
	case able:
		card.CheckThat(t, at == "on the GPU", what+" where", "on the GPU, as ffmpeg does", at, figure)
	default:
		card.CheckThat(t, at == "by the CPU", what+" where", "by the CPU, as ffmpeg does", at, figure)
	}
	if at == "on the GPU" && r.decoded >= 0 {
		card.CheckThat(t, r.decoded >= int64(r.card.DecodedFrames), s.name+": frames that the GPU decoded",
			fmt.Sprintf("%d or more", r.card.DecodedFrames), fmt.Sprint(r.decoded), "")
	}
}

// exactDB is what an inexact decoder's frames must reach.
const exactDB = 40

// decoderOf lets ffmpeg decode a clip on the GPU and on the CPU, checks that the
// frames are the same, and reports whether the GPU's decoder was in use, if known.
func decoderOf(t *testing.T, c *card.Card, s source, clip []byte) (able, known bool) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "in"), clip, 0o600); err != nil {
		t.Fatal(err)
	}
	var d psnr
	var err error
	var decoded int64
	fiction := madeUp(c, func() {
		n, counted := spent(t, c, func() {
			graph := fmt.Sprintf("[0:v]format=%[1]s[a];[1:v]format=%[1]s[b];[a][b]psnr=stats_file=stats", s.format)
			d, err = measured(t, dir, c.Env(), "-threads", "1", "-hwaccel", "cuda", "-i", "in", "-threads", "1", "-i",
				"in",
				"-lavfi", graph, "-f", "null", "-")
		})
		decoded, known = n.PicturesDecoded, counted
	})
	what := s.name + ": frames of the GPU's decoder"
	seen := fmt.Sprintf("%d of %d frames are equal, worst %.1f dB", d.equal, d.frames, d.worst)
	switch {
	case err != nil && known && decoded == 0:
		// Of AV1 ffmpeg has no decoder but the GPU's here.
		card.SkipCheck(t, what, "ffmpeg cannot decode them on this GPU: "+err.Error())
		return false, true
	case err != nil:
		card.NoError(t, err, what, "")
	case !known:
		card.SkipCheck(t, what, "not known what decodes: the process was started without the counting library")
	case decoded == 0:
		card.SkipCheck(t, what, "ffmpeg decodes them by the CPU as well")
	case fiction || s.unreal && !c.Real():
		card.SkipCheck(t, what, invented)
	case s.inexact:
		card.CheckThat(t, d.frames > 0 && d.worst >= exactDB, what, fmt.Sprintf("at least %d dB", exactDB), seen, "")
	default:
		card.CheckThat(t, d.frames > 0 && d.equal == d.frames, what, "equal to the CPU's, bit by bit", seen, "")
	}
	return decoded > 0, known && err == nil
}
