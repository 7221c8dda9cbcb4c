package count_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tuttinode/tutti/test/fakegpu"
	"github.com/tuttinode/tutti/test/gpu/count"
)

// TestCountsWhatTheDriverCounts: the simulated driver counts for itself what it did, and
// both must agree.
func TestCountsWhatTheDriverCounts(t *testing.T) {
	d := fakegpu.Build(t)
	ffmpeg := filepath.Join(os.Getenv("TUTTI_DEPS"), "bin", "ffmpeg")
	in := filepath.Join(t.TempDir(), "in.ts")
	run := func(env []string, args ...string) {
		t.Helper()
		cmd := exec.Command(ffmpeg, append([]string{"-nostdin", "-v", "error", "-y"}, args...)...)
		cmd.Env = append(os.Environ(), env...)
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
	}
	run(nil, "-f", "lavfi", "-i", "testsrc2=s=320x180:r=30:d=1", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", in)
	for name, args := range map[string][]string{
		"on the card": {"-hwaccel", "cuda", "-hwaccel_output_format", "cuda", "-i", in, "-vf", "scale_cuda=160:90", "-c:v", "h264_nvenc", "-f", "null", "-"},
		"down":        {"-hwaccel", "cuda", "-i", in, "-f", "null", "-"},
		"up":          {"-init_hw_device", "cuda=g:0", "-filter_hw_device", "g", "-i", in, "-vf", "format=nv12,hwupload", "-c:v", "h264_nvenc", "-f", "null", "-"},
	} {
		c, before := count.Start(t), d.Counts(0)
		run(append(d.Env(), c.Env()...), args...)
		after, got := d.Counts(0), c.Read(t)
		want := count.Counts{
			DecodersCreated: after.DecodersCreated - before.DecodersCreated, DecodersDestroyed: after.DecodersDestroyed - before.DecodersDestroyed,
			PicturesDecoded: after.PicturesDecoded - before.PicturesDecoded, EncodersOpened: after.EncodersOpened - before.EncodersOpened,
			EncodersClosed: after.EncodersClosed - before.EncodersClosed, PicturesEncoded: after.PicturesEncoded - before.PicturesEncoded,
			Kernels: after.Kernels - before.Kernels, Modules: after.Modules - before.Modules,
			UploadedBytes: after.UploadedBytes - before.UploadedBytes, DownloadedBytes: after.DownloadedBytes - before.DownloadedBytes,
		}
		if got != want || got == (count.Counts{}) {
			t.Errorf("%s: counted %+v, the driver %+v", name, got, want)
		}
	}
}
