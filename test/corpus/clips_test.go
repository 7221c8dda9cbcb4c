package corpus

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sample is one input and what the node must make of it.
type sample struct {
	name string
	// args make the clip with the ffmpeg program of the same build.
	args string
	ext  string
	// frames is the number of frames in it, and so in every passthrough rendition.
	frames int
	// width and height of the first rendition, which asks for 240 on the larger side.
	width, height int
	// audio is the codec of the rendition's sound, "" for none.
	audio string
}

const (
	picture = "-f lavfi -i testsrc2=size=320x180:rate=30:duration=1 "
	tone    = "-f lavfi -i sine=duration=1:sample_rate=48000 "
	x264    = "-c:v libx264 -preset ultrafast -g 60 "
	aac     = "-c:a aac -b:a 64k "
)

// samples are made by the ffmpeg program; hevc, vp8 and vp9 are kept as files, since
// this build has no software encoder for them.
var samples = []sample{
	{"h264 aac ts", picture + tone + x264 + "-pix_fmt yuv420p " + aac, "ts", 30, 240, 136, "aac"},
	{"h264 aac mp4", picture + tone + x264 + "-pix_fmt yuv420p " + aac, "mp4", 30, 240, 136, "aac"},
	{"b-frames", picture + tone + "-c:v libx264 -preset medium -bf 3 -g 60 -pix_fmt yuv420p " + aac, "ts", 30, 240, 136,
		"aac"},
	{"open gop", picture + "-c:v libx264 -preset medium -bf 3 -x264-params open-gop=1:keyint=10:min-keyint=10 -pix_fmt " +
		"yuv420p", "ts", 30, 240, 136, ""},
	{"interlaced", "-f lavfi -i testsrc2=size=320x180:rate=60:duration=1 -vf interlace=scan=tff -flags +ildct+ilme " +
		"-c:v libx264 -preset ultrafast -x264-params tff=1 -g 60 -pix_fmt yuv420p", "ts", 30, 240, 136, ""},
	{"29.97", "-f lavfi -i testsrc2=size=320x180:rate=30000/1001:duration=1.001 " + x264 + "-pix_fmt yuv420p", "ts", 30,
		240, 136, ""},
	{"59.94", "-f lavfi -i testsrc2=size=320x180:rate=60000/1001:duration=1.001 " + x264 + "-pix_fmt yuv420p", "ts", 60,
		240, 136, ""},
	{"variable frame rate", picture + "-vf select='mod(n\\,3)+not(mod(n\\,2))' -fps_mode vfr " + x264 +
		"-pix_fmt yuv420p", "mp4", 25, 240, 136, ""},
	{"10-bit", picture + x264 + "-pix_fmt yuv420p10le", "ts", 30, 240, 136, ""},
	{"4:2:2", picture + x264 + "-pix_fmt yuv422p", "ts", 30, 240, 136, ""},
	{"4:2:2 10-bit", picture + x264 + "-pix_fmt yuv422p10le", "ts", 30, 240, 136, ""},
	{"4:4:4", picture + x264 + "-pix_fmt yuv444p", "ts", 30, 240, 136, ""},
	{"4:4:4 10-bit", picture + x264 + "-pix_fmt yuv444p10le", "ts", 30, 240, 136, ""},
	{"full range", picture + x264 + "-pix_fmt yuvj420p", "ts", 30, 240, 136, ""},
	{"mono", picture + tone + x264 + "-pix_fmt yuv420p -ac 1 " + aac, "ts", 30, 240, 136, "aac"},
	{"5.1", picture + "-f lavfi -i anullsrc=channel_layout=5.1:sample_rate=48000 -t 1 " + x264 + "-pix_fmt yuv420p " +
		aac, "ts", 30, 240, 136, "aac"},
	{"ac-3", picture + tone + x264 + "-pix_fmt yuv420p -c:a ac3", "ts", 30, 240, 136, "ac3"},
	{"opus", picture + tone + x264 + "-pix_fmt yuv420p -ac 2 -strict -2 -c:a opus", "ts", 30, 240, 136, "opus"},
	{"mp2", picture + tone + x264 + "-pix_fmt yuv420p -c:a mp2", "ts", 30, 240, 136, "mp2"},
	{"rotated by metadata", picture + x264 + "-pix_fmt yuv420p", "rotated.mp4", 30, 240, 136, ""},
	{"portrait", "-f lavfi -i testsrc2=size=180x320:rate=30:duration=1 " + x264 + "-pix_fmt yuv420p", "ts", 30, 146, 260,
		""},
	{"odd size", "-f lavfi -i testsrc2=size=321x181:rate=30:duration=1 " + x264 + "-pix_fmt yuv444p", "ts", 30, 240, 136,
		""},
	{"64×64", "-f lavfi -i testsrc2=size=64x64:rate=30:duration=1 " + x264 + "-pix_fmt yuv420p", "ts", 30, 240, 240, ""},
	{"4K", "-f lavfi -i testsrc2=size=3840x2160:rate=30:duration=0.2 " + x264 + "-pix_fmt yuv420p", "ts", 6, 240, 136, ""},
	{"one frame", "-f lavfi -i testsrc2=size=320x180:rate=30 -frames:v 1 " + x264 + "-pix_fmt yuv420p", "ts", 1, 240, 136,
		""},
	{"mpeg-2", picture + "-c:v mpeg2video -b:v 1M -pix_fmt yuv420p", "ts", 30, 240, 136, ""},
	{"anamorphic", picture + "-vf setsar=4/3 " + x264 + "-pix_fmt yuv420p", "ts", 30, 240, 136, ""},
}

// make runs the ffmpeg program and returns the clip's bytes.
func (s sample) make(t testing.TB) []byte {
	t.Helper()
	return ffmpeg(t, s.args, s.ext)
}

func ffmpeg(t testing.TB, args, ext string) []byte {
	t.Helper()
	prefix := os.Getenv("TUTTI_DEPS")
	if prefix == "" {
		t.Fatal("TUTTI_DEPS is not set: run the tests through make, or eval \"$(make -s env)\" first")
	}
	program := filepath.Join(prefix, "bin", "ffmpeg")
	out := filepath.Join(t.TempDir(), "clip."+ext)
	line := append([]string{"-nostdin", "-v", "error", "-y"}, strings.Fields(args)...)
	line = append(line, "-copyts", "-muxdelay", "0", "-muxpreload", "0", out)
	if text, err := exec.Command(program, line...).CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg %s: %v: %s", args, err, text)
	}
	if strings.HasPrefix(ext, "rotated") {
		turned := filepath.Join(t.TempDir(), "turned.mp4")
		if text, err := exec.Command(program, "-nostdin", "-v", "error", "-display_rotation", "90", "-i", out, "-c", "copy",
			turned).CombinedOutput(); err != nil {
			t.Fatalf("rotate: %v: %s", err, text)
		}
		out = turned
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// kept are clips whose codecs this build cannot encode, in transcoder/libav/testdata.
var kept = []string{"hevc.ts", "hevc10.mp4", "vp8.webm", "vp8opus.webm", "vp9.webm", "vp9vorbis.webm", "av1.mp4"}

// uncarried is the one of them whose sound MPEG-TS cannot carry.
const uncarried = "vp9vorbis.webm"

// keptFrames is the number of frames in each of them.
const keptFrames = 5
