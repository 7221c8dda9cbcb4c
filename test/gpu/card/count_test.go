package card_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/fakegpu"
	"github.com/tuttinode/tutti/test/gpu/card"
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
	run(nil, "-f", "lavfi", "-i", "testsrc2=s=320x180:r=30:d=1", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt",
		"yuv420p", in)
	for name, args := range map[string][]string{
		"on the GPU": {"-hwaccel", "cuda", "-hwaccel_output_format", "cuda", "-i", in, "-vf", "scale_cuda=160:90",
			"-c:v", "h264_nvenc", "-f", "null", "-"},
		"down": {"-hwaccel", "cuda", "-i", in, "-f", "null", "-"},
		"up": {"-init_hw_device", "cuda=g:0", "-filter_hw_device", "g", "-i", in, "-vf",
			"format=nv12,hwupload", "-c:v", "h264_nvenc", "-f", "null", "-"},
	} {
		c, before := card.StartCounter(t), d.Counts(0)
		run(append(d.Env(), c.Env()...), args...)
		after, got := d.Counts(0), c.Read(t)
		want := card.Counts{
			DecodersCreated:   after.DecodersCreated - before.DecodersCreated,
			DecodersDestroyed: after.DecodersDestroyed - before.DecodersDestroyed,
			PicturesDecoded:   after.PicturesDecoded - before.PicturesDecoded,
			EncodersOpened:    after.EncodersOpened - before.EncodersOpened,
			EncodersClosed:    after.EncodersClosed - before.EncodersClosed,
			PicturesEncoded:   after.PicturesEncoded - before.PicturesEncoded,
			Kernels:           after.Kernels - before.Kernels, Modules: after.Modules - before.Modules,
			UploadedBytes:   after.UploadedBytes - before.UploadedBytes,
			DownloadedBytes: after.DownloadedBytes - before.DownloadedBytes,
		}
		if got != want || got == (card.Counts{}) {
			t.Errorf("%s: counted %+v, the driver %+v", name, got, want)
		}
	}
}

// TestTheDriversOwnWork: what the driver's libraries ask of each other is not counted.
func TestTheDriversOwnWork(t *testing.T) {
	folder := t.TempDir()
	compile := func(name, source string, flags ...string) string {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path+".c", []byte("#include <dlfcn.h>\n"+source), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("gcc", append(flags, "-o", path, path+".c", "-ldl")...)
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		return path
	}
	const ask = `
typedef int launch(void *, int, int, int, int, int, int, int, void *, void *, void *);
int NAME(void *cuda) { launch *f = (launch *)dlsym(cuda, "cuLaunchKernel"); return f(0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0); }
`
	compile("libcuda.so.1", "int cuLaunchKernel(void) { return 0; }", "-shared", "-fPIC")
	compile("libnvcuvid.so.1", strings.ReplaceAll(ask, "NAME", "decode"), "-shared", "-fPIC")
	program := compile("program", strings.ReplaceAll(ask, "NAME", "mine")+`
int main(int n, char **path) {
	void *cuda = dlopen(path[1], RTLD_NOW), *decoder = dlopen(path[2], RTLD_NOW);
	if (n < 3 || !cuda || !decoder) return 1;
	int (*decode)(void *) = (int (*)(void *))dlsym(decoder, "decode");
	return decode(cuda) + mine(cuda) + decode(cuda);
}`)
	c := card.StartCounter(t)
	cmd := exec.Command(program, filepath.Join(folder, "libcuda.so.1"), filepath.Join(folder, "libnvcuvid.so.1"))
	cmd.Env = append(os.Environ(), c.Env()...)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if got := c.Read(t); got != (card.Counts{Kernels: 1}) {
		t.Errorf("%+v", got)
	}
}

// TestOwn: without the library in the process there is no counter, whatever the
// environment says.
func TestOwn(t *testing.T) {
	const asked = "TUTTI_COUNT_TEST"
	if os.Getenv(asked) != "" {
		if got := card.OwnCounter() != nil; got != (os.Getenv(asked) == "there") {
			t.Errorf("a counter: %v", got)
		}
		return
	}
	c := card.StartCounter(t)
	for want, env := range map[string][]string{
		"there": c.Env(), "missing": append(c.Env(), "LD_PRELOAD=/nothing/libtutticount.so"),
	} {
		cmd := exec.Command("/proc/self/exe", "-test.run=^TestOwn$")
		cmd.Env = append(append(os.Environ(), env...), asked+"="+want)
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", want, err, said)
		}
	}
}
