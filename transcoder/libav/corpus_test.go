package libav_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

func stored(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// videoKind is a kind of source that a gateway may send, and the size of a rendition of
// it that asks for 256×144.
type videoKind struct {
	name, ext, args string // without arguments: the stored clip of that name
	w, h            int
}

// source is a segment of the kind, with five frames.
func (k videoKind) source(t testing.TB) []byte {
	t.Helper()
	if k.args == "" {
		return stored(t, k.name)
	}
	return makeClip(t, k.ext, k.args)
}

func videoKinds() []videoKind {
	h264 := func(size, more string) string {
		return pattern(size, 10, 0.5) + " -c:v libx264 -preset veryfast -threads 1 " + more
	}
	return []videoKind{
		{"hevc.ts", "", "", 256, 256},
		{"hevc10.mp4", "", "", 256, 256},
		{"vp8.webm", "", "", 256, 256},
		{"vp9.webm", "", "", 256, 256},
		{"av1.mp4", "", "", 256, 256},
		{"10 bits", ".ts", h264("160x90", "-pix_fmt yuv420p10le"), 256, 144},
		{"4:2:2", ".ts", h264("160x90", "-pix_fmt yuv422p"), 256, 144},
		{"4:4:4", ".ts", h264("160x90", "-pix_fmt yuv444p"), 256, 144},
		{"4:2:2 10 bits", ".mp4", h264("160x90", "-pix_fmt yuv422p10le"), 256, 144},
		{"4:4:4 10 bits", ".ts", h264("160x90", "-pix_fmt yuv444p10le"), 256, 144},
		{"full range", ".ts", h264("160x90", "-pix_fmt yuvj420p"), 256, 144},
		{"gray", ".ts", h264("160x90", "-pix_fmt gray"), 256, 144},
		{"interlaced", ".ts", h264("160x96", "-pix_fmt yuv420p -flags +ildct+ilme -x264-params tff=1"), 256, 154},
		{"odd size", ".ts", h264("161x91", "-pix_fmt yuv444p"), 256, 144},
		{"64x64", ".ts", h264("64x64", "-pix_fmt yuv420p"), 256, 256},
		{"4K", ".ts", h264("3840x2160", "-pix_fmt yuv420p"), 256, 144},
		{"the size asked for", ".ts", h264("256x144", "-pix_fmt yuv420p"), 256, 144},
		{"the size asked for, full range", ".ts", h264("256x144", "-pix_fmt yuvj420p"), 256, 144},
		{"portrait", ".mp4", h264("90x160", "-pix_fmt yuv420p"), 146, 260},
		{"MPEG-2", ".ts", pattern("160x90", 25, 0.2) + " -c:v mpeg2video", 256, 144},
		{"MPEG-4", ".mp4", pattern("160x90", 10, 0.5) + " -c:v mpeg4", 256, 144},
		{"Matroska", ".mkv", h264("160x90", "-pix_fmt yuv420p"), 256, 144},
		{"FLV", ".flv", h264("160x90", "-pix_fmt yuv420p"), 256, 144},
		{"QuickTime", ".mov", h264("160x90", "-pix_fmt yuv420p"), 256, 144},
		{"fragmented MP4", ".mp4", h264("160x90", "-pix_fmt yuv420p -movflags frag_keyframe+empty_moov"), 256, 144},
	}
}

// Every kind of source that a gateway may send becomes 8-bit 4:2:0 H.264 of the
// right size with every frame, in both containers.
func TestVideoKinds(t *testing.T) {
	t.Parallel()
	for _, tt := range videoKinds() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := transcode(t, tt.source(t), small("ts", nil),
				small("mp4", func(p *core.Profile) { p.Format = core.FormatMP4 }))
			if got.DecodedFrames != 5 {
				t.Errorf("%d frames decoded", got.DecodedFrames)
			}
			for i, r := range got.Renditions {
				out := verify(t, r.Data)
				v := out.Video
				if v == nil || v.Codec != "h264" || v.PixelFormat != "yuv420p" && v.PixelFormat != "yuvj420p" {
					t.Fatalf("rendition %d: %+v", i, v)
				}
				if len(v.Frames) != 5 || r.Frames != 5 {
					t.Fatalf("rendition %d: %d frames, reported %d", i, len(v.Frames), r.Frames)
				}
				if v.Frames[0].Width != tt.w || v.Frames[0].Height != tt.h {
					t.Errorf("rendition %d: %dx%d, want %dx%d", i, v.Frames[0].Width, v.Frames[0].Height, tt.w, tt.h)
				}
			}
		})
	}
}

// A turned frame stays as it was coded; only the coded size counts.
func TestRotationMetadataIsIgnored(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.mp4"), filepath.Join(dir, "out.mp4")
	if err := os.WriteFile(in, makeClip(t, ".mp4", pattern("160x90", 10, 0.5)+" "+x264), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command(program(t, "ffmpeg"), "-v", "error", "-nostdin", "-display_rotation", "90", "-i", in,
		"-c", "copy", out).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	got := transcode(t, data, small("x", nil))
	if f := verify(t, got.Renditions[0].Data).Video.Frames[0]; f.Width != 256 || f.Height != 144 {
		t.Errorf("%dx%d", f.Width, f.Height)
	}
}

// Audio goes through packet by packet where the container can carry it, and is refused
// where it cannot.
func TestAudioKinds(t *testing.T) {
	t.Parallel()
	video := pattern("160x90", 10, 0.5) + " "
	tests := []struct{ name, ext, audio, codec string }{
		{"mono", ".ts", "-c:a aac -ac 1", "aac"},
		{"5.1", ".ts", "-c:a aac -ac 6", "aac"},
		{"AC-3", ".ts", "-c:a ac3", "ac3"},
		{"MPEG layer 2", ".ts", "-c:a mp2", "mp2"},
		{"Opus", ".ts", "-c:a opus -strict -2 -ar 48000", "opus"},
		{"Opus in Matroska", ".mkv", "-c:a opus -strict -2 -ar 48000", "opus"},
		{"FLAC in MP4", ".mp4", "-c:a flac -strict -2", "flac"},
		{"PCM in QuickTime", ".mov", "-c:a pcm_s16le", "pcm_s16le"},
		{"PCM in Matroska", ".mkv", "-c:a pcm_f32le", "pcm_f32le"},
		{"FLAC in Matroska", ".mkv", "-c:a flac", "flac"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			source := makeClip(t, tt.ext, video+tone(0.5)+" "+x264+" "+tt.audio)
			for _, format := range []core.Format{core.FormatMPEGTS, core.FormatMP4} {
				profile := small("x", func(p *core.Profile) { p.Format = format })
				if !format.CarriesAudio(tt.codec) {
					refuses(t, engine(t), job(source, small("first", func(p *core.Profile) { p.Format = core.FormatMP4 }), profile),
						fault.AudioNotCarried)
					continue
				}
				got := transcode(t, source, profile)
				out := verify(t, got.Renditions[0].Data)
				if len(out.Video.Frames) != 5 {
					t.Errorf("%s: %d frames", format.Ext(), len(out.Video.Frames))
				}
				// MP4 has one name for all layers of MPEG audio, which libav reads as MP3.
				layers := format == core.FormatMP4 && tt.codec == "mp2"
				if out.Audio == nil || out.Audio.Codec != tt.codec && !layers {
					t.Errorf("%s: sound %+v", format, out.Audio)
				}
				if out.Container == "mpegts" && tt.ext != ".ts" {
					continue // framing differs; the packets are checked where it does not
				}
				if src := verify(t, source); !slices.Equal(sums(src), sums(out)) {
					t.Errorf("%s: %d packets from %d, or other ones", format.Ext(), len(sums(out)), len(sums(src)))
				}
			}
		})
	}
	for _, name := range []string{"vp8opus.webm", "vp9vorbis.webm"} {
		got := transcode(t, stored(t, name), small("x", func(p *core.Profile) { p.Format = core.FormatMP4 }))
		if out := verify(t, got.Renditions[0].Data); len(out.Video.Frames) != 5 ||
			!slices.Equal(sums(out), sums(verify(t, stored(t, name)))) {
			t.Errorf("%s: %d frames, or other audio", name, len(out.Video.Frames))
		}
	}
	refuses(t, engine(t), job(stored(t, "vp9vorbis.webm"), small("x", nil)), fault.AudioNotCarried)
	// Gateways compare this text, and do not try again.
	if got := fault.Wire(fault.New(fault.AudioNotCarried, "", "vorbis")); got != "Invalid argument" {
		t.Errorf("the wire text is %q", got)
	}
}

// A source with late SEI units keeps every frame's time.
func TestLateSEISource(t *testing.T) {
	t.Parallel()
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join("mediafile", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	good, late := read("good.ts"), read("late.ts")
	for _, rate := range []func(*core.Profile){keep, fps(30, 1), fps(60, 1)} {
		a, b := transcode(t, good, small("x", rate)), transcode(t, late, small("x", rate))
		if d := difference(times(verify(t, a.Renditions[0].Data)), times(verify(t, b.Renditions[0].Data))); d != "" {
			t.Error(d)
		}
		if a.DecodedFrames != b.DecodedFrames {
			t.Errorf("%d frames, %d from the broken source", a.DecodedFrames, b.DecodedFrames)
		}
	}
}

// Closed captions survive, once each.
func TestCaptions(t *testing.T) {
	t.Parallel()
	plain := makeClip(t, ".h264", pattern("160x90", 30, 1)+" "+x264+" -bf 0 -x264-params aud=1")
	// One caption pair in an SEI unit after each access unit delimiter.
	sei := []byte{0, 0, 0, 1, 6, 4, 14, 0xb5, 0, 0x31, 'G', 'A', '9', '4', 3, 0x41, 0xff, 0xfc, 0x94, 0x2c, 0xff, 0x80}
	delimiter := regexp.MustCompile(`(?s)\x00\x00\x00\x01\x09.`)
	captioned := delimiter.ReplaceAllFunc(plain, func(d []byte) []byte { return slices.Concat(d, sei) })
	if bytes.Equal(plain, captioned) {
		t.Fatal("no delimiters to put captions after")
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.h264"), filepath.Join(dir, "out.ts")
	if err := os.WriteFile(in, captioned, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program(t, "ffmpeg"), "-v", "error", "-nostdin", "-f", "h264", "-framerate", "30", "-i", in,
		"-c", "copy", "-bsf:v", "setts=ts=N*3000:time_base=1/90000", out)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	source, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	count := func(data []byte) (n int) {
		for _, f := range verify(t, data).Video.Frames {
			n += f.Captions
		}
		return n
	}
	want := count(source)
	if want != 30*3 {
		t.Fatalf("the source has %d caption bytes", want)
	}
	got := transcode(t, source, small("kept", nil), small("same size",
		func(p *core.Profile) { p.Width, p.Height = 160, 90 }), small("doubled", fps(60, 1)))
	for i, r := range got.Renditions {
		if n := count(r.Data); n != want {
			t.Errorf("rendition %d: %d caption bytes, want %d", i, n, want)
		}
	}
}
