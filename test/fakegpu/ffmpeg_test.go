package fakegpu_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/fakegpu"
)

// machine is a driver and our own FFmpeg, which is the reference too.
type machine struct {
	*fakegpu.Driver
	input string
}

// newMachine has two seconds of a test pattern with B-frames at hand.
func newMachine(t *testing.T, lines ...string) machine {
	t.Helper()
	d := fakegpu.Build(t)
	d.Script(lines...)
	m := machine{d, filepath.Join(t.TempDir(), "in.ts")}
	m.must(t, "-f", "lavfi", "-i", "testsrc2=s=640x360:r=30:d=2", "-c:v", "libx264", "-preset", "veryfast", "-bf", "2",
		"-g", "30", "-pix_fmt", "yuv420p", m.input)
	return m
}

func (m machine) command(t *testing.T, program string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, filepath.Join(os.Getenv("TUTTI_DEPS"), "bin", program), args...)
	cmd.Env = append(os.Environ(), m.Env()...)
	return cmd
}

// ffmpeg is what it printed, and how it ended.
func (m machine) ffmpeg(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var said bytes.Buffer
	cmd := m.command(t, "ffmpeg", append([]string{"-nostdin", "-hide_banner", "-y"}, args...)...)
	cmd.Stdout, cmd.Stderr = &said, &said
	err := cmd.Run()
	return said.String(), err
}

func (m machine) must(t *testing.T, args ...string) string {
	t.Helper()
	said, err := m.ffmpeg(t, args...)
	if err != nil {
		t.Fatalf("ffmpeg %s: %v\n%s", strings.Join(args, " "), err, said)
	}
	return said
}

// transcode is the whole path on the device.
func (m machine) transcode(to string, more ...string) []string {
	args := []string{"-hwaccel", "cuda", "-hwaccel_output_format", "cuda", "-i", m.input, "-vf", "scale_cuda=320:180",
		"-c:v", "h264_nvenc", "-b:v", "600k"}
	return append(append(args, more...), to)
}

// probe asks ffprobe for fields of the video's packets or streams, one per line.
func (m machine) probe(t *testing.T, file string, args ...string) string {
	t.Helper()
	out, err := m.command(t, "ffprobe",
		append([]string{"-v", "error", "-select_streams", "v", "-of", "csv=p=0"}, append(args, file)...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("ffprobe: %v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

func hashes(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}
