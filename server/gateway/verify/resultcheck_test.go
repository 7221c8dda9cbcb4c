package verify_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/gateway/verify"
)

// program is one of the FFmpeg build that the node is linked with.
func program(t testing.TB, name string) string {
	t.Helper()
	prefix := os.Getenv("TUTTI_DEPS")
	if prefix == "" {
		t.Skip("TUTTI_DEPS is not set, so there is no ffmpeg to judge by: run `make test`")
	}
	return filepath.Join(prefix, "bin", name)
}

// clip makes a file with the ffmpeg program.
func clip(t testing.TB, args, ext string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "clip."+ext)
	line := append([]string{"-nostdin", "-v", "error", "-y"}, strings.Fields(args)...)
	if text, err := exec.Command(program(t, "ffmpeg"), append(line, out)...).CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg %s: %v: %s", args, err, text)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// decoded is what a full decode of the first video stream gives.
func decoded(t testing.TB, data []byte, ext string) (frames core.Frames, pixels core.Pixels) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "judged."+ext)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program(t, "ffprobe"), "-v", "quiet", "-select_streams", "v:0",
		"-show_entries", "frame=width,height", "-of", "csv=p=0", file).Output()
	if err != nil {
		t.Fatalf("ffprobe: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		var w, h int
		if n, _ := fmt.Sscanf(line, "%d,%d", &w, &h); n == 2 {
			frames++
			pixels += core.Pixels(w) * core.Pixels(h)
		}
	}
	return frames, pixels
}

// hold compares Count with a full decode.
func hold(t testing.TB, data []byte, ext string) verify.Video {
	t.Helper()
	got, err := verify.Count(data)
	if err != nil {
		t.Fatal(err)
	}
	frames, pixels := decoded(t, data, ext)
	if got.Frames != frames || got.Pixels != pixels {
		t.Errorf("counted %d frames, %d pixels; a decoder gives %d, %d", got.Frames, got.Pixels, frames, pixels)
	}
	return got
}

const (
	picture = "-f lavfi -i testsrc2=size=320x180:rate=30:duration=1 "
	tone    = "-f lavfi -i sine=duration=1:sample_rate=48000 -c:a aac "
	x264    = "-c:v libx264 -pix_fmt yuv420p -preset ultrafast "
	medium  = "-c:v libx264 -pix_fmt yuv420p -preset medium -bf 3 "
)

// kinds are recipes of files whose frames are counted in both containers.
var kinds = map[string]string{
	"plain":                picture + x264,
	"sound":                picture + tone + x264,
	"b-frames":             picture + medium,
	"b-pyramid":            picture + medium + "-x264-params b-pyramid=normal:ref=5",
	"many slices":          picture + x264 + "-x264-params slices=8",
	"slices by size":       picture + medium + "-x264-params slice-max-size=300",
	"open gop":             picture + medium + "-x264-params open-gop=1:keyint=10:min-keyint=10",
	"access units divided": picture + medium + "-x264-params aud=1",
	"no delimiters":        picture + medium + "-bsf:v h264_metadata=aud=remove",
	"mbaff":                picture + "-vf interlace=scan=tff -flags +ildct+ilme " + medium + "-x264-params tff=1",
	"fake interlaced":      picture + medium + "-x264-params fake-interlaced=1",
	"intra only":           picture + x264 + "-g 1",
	"intra refresh":        picture + medium + "-x264-params intra-refresh=1:keyint=15",
	"baseline":             picture + x264 + "-profile:v baseline",
	"10-bit":               picture + "-c:v libx264 -pix_fmt yuv420p10le",
	"4:2:2":                picture + "-c:v libx264 -pix_fmt yuv422p",
	"4:4:4":                picture + "-c:v libx264 -pix_fmt yuv444p",
	"gray":                 picture + "-c:v libx264 -pix_fmt gray",
	"odd size":             "-f lavfi -i testsrc2=size=321x181:rate=30:duration=1 -c:v libx264 -pix_fmt yuv444p",
	"146x82":               "-f lavfi -i testsrc2=size=146x82:rate=30:duration=1 " + medium,
	"4K":                   "-f lavfi -i testsrc2=size=3840x2160:rate=30:duration=0.2 " + x264,
	"one frame":            picture + "-frames:v 1 " + x264,
	"variable rate":        picture + "-vf select='mod(n\\,3)+not(mod(n\\,2))' -fps_mode vfr " + medium,
	"scaling lists":        picture + "-c:v libx264 -pix_fmt yuv420p -profile:v high -x264-params cqm=jvt",
	"lossless":             picture + "-c:v libx264 -pix_fmt yuv444p -qp 0",
	"weighted":             picture + medium + "-x264-params weightp=2:ref=4",
	"parameter sets anew":  picture + medium + "-x264-params repeat-headers=1:keyint=5",
	"nal-hrd cbr": picture +
		"-c:v libx264 -pix_fmt yuv420p -x264-params nal-hrd=cbr:force-cfr=1 -b:v 300k -maxrate 300k -bufsize 300k",
}

func TestCountIsADecoders(t *testing.T) {
	t.Parallel()
	for name, args := range kinds {
		for _, ext := range []string{"ts", "mp4"} {
			t.Run(name+" "+ext, func(t *testing.T) {
				t.Parallel()
				hold(t, clip(t, args, ext), ext)
			})
		}
	}
}
