package verify_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/tuttinode/tutti/server/gateway/verify"
)

// sources are streams of which pieces are checked.
var sources = map[string]string{
	"open gop": "-f lavfi -i testsrc2=size=320x180:rate=30:duration=2 " + medium +
		"-x264-params open-gop=1:keyint=15:min-keyint=15",
	"closed gop": "-f lavfi -i testsrc2=size=320x180:rate=30:duration=2 " + medium + "-x264-params keyint=15",
	"intra refresh": "-f lavfi -i testsrc2=size=320x180:rate=30:duration=2 " + medium +
		"-x264-params intra-refresh=1:keyint=15",
	"no messages": "-f lavfi -i testsrc2=size=320x180:rate=30:duration=2 " + medium +
		"-x264-params open-gop=1:keyint=15:min-keyint=15 -bsf:v filter_units=remove_types=6",
}

// TestPieces begins in the middle of a stream and ends before its end: a decoder
// leaves out what it cannot decode, and so does the count.
func TestPieces(t *testing.T) {
	t.Parallel()
	for name, args := range sources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := clip(t, args, "ts")
			for _, n := range []int{40, 100, 200} {
				n *= verify.PacketSize
				hold(t, whole[:n], "ts")
				hold(t, append(append([]byte{}, whole[:3*verify.PacketSize]...), whole[n:]...), "ts")
			}
			hold(t, append(append([]byte{}, whole...), whole...), "ts")
		})
	}
}

// remuxed copies a file's streams into another container.
func remuxed(t testing.TB, data []byte, from, to string, args ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in."+from), filepath.Join(dir, "out."+to)
	if err := os.WriteFile(in, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var seek []string
	if len(args) > 1 && args[0] == "-ss" {
		seek, args = args[:2], args[2:]
	}
	line := append([]string{"-nostdin", "-v", "error", "-y"}, seek...)
	line = append(append(append(line, "-i", in, "-c", "copy"), args...), out)
	if text, err := exec.Command(program(t, "ffmpeg"), line...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	made, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestMovies has the samples in tables and in fragments of every form.
func TestMovies(t *testing.T) {
	t.Parallel()
	whole := clip(t, sources["open gop"], "ts")
	for _, flags := range []string{"faststart", "frag_keyframe", "frag_keyframe+empty_moov",
		"frag_keyframe+empty_moov+default_base_moof", "frag_keyframe+omit_tfhd_offset", "frag_every_frame+empty_moov"} {
		t.Run(flags, func(t *testing.T) {
			t.Parallel()
			if v := hold(t, remuxed(t, whole, "ts", "mp4", "-movflags", flags), "mp4"); v.Frames != 60 {
				t.Errorf("%d frames, want 60", v.Frames)
			}
		})
	}
	for i, at := range []string{"0.4", "0.6", "1.1"} {
		t.Run("from "+strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			hold(t, remuxed(t, whole, "ts", "mp4", "-ss", at), "mp4")
			hold(t, remuxed(t, whole, "ts", "ts", "-ss", at, "-copyts"), "ts")
		})
	}
}

func TestHEVC(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"testdata/hevc_open.ts", "testdata/hevc_rasl.ts", "testdata/hevc_slices.mp4",
		"testdata/hevc_fields.ts",
		"../../../transcoder/libav/testdata/hevc.ts", "../../../transcoder/libav/testdata/hevc10.mp4"} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			ext := filepath.Ext(name)[1:]
			if v := hold(t, data, ext); v.Codec != "hevc" {
				t.Errorf("codec %q", v.Codec)
			}
			if ext == "ts" {
				hold(t, remuxed(t, data, "ts", "mp4"), "mp4")
				hold(t, remuxed(t, data, "ts", "mp4", "-movflags", "frag_keyframe+empty_moov"), "mp4")
			}
		})
	}
}
