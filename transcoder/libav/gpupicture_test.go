package libav_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/fakegpu"
)

var psnrAverage = regexp.MustCompile(`psnr_avg:(inf|[0-9.]+)`)

// worstPSNR is how near two files' frames are, in dB, at the frame where they differ
// most.
func worstPSNR(t *testing.T, a, b []byte) float64 {
	t.Helper()
	dir := t.TempDir()
	for name, data := range map[string][]byte{"a": a, "b": b} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program(t, "ffmpeg"), "-v", "error", "-nostdin", "-i", "a", "-i", "b", "-lavfi",
		"[0:v][1:v]psnr=stats_file=out", "-f", "null", "-")
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	text, err := os.ReadFile(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	worst := 100.0
	found := psnrAverage.FindAllSubmatch(text, -1)
	for _, m := range found {
		if v, err := strconv.ParseFloat(string(m[1]), 64); err == nil {
			worst = min(worst, v)
		}
	}
	if len(found) == 0 {
		t.Fatal("no frame was compared")
	}
	return worst
}

// TestGPUPictures: in every form the frames are those that the CPU makes, also
// from a source much larger than the output and of odd shape.
func TestGPUPictures(t *testing.T) {
	d := fakegpu.Load(t)
	const least = 28
	forms := map[string][]string{
		"on the GPU":         nil,
		"encoded on the CPU": {"device0.encodes=0"},
		"decoded on the CPU": {"device0.decodes=vp9"},
	}
	sources := map[string]string{
		"large": pattern("960x540", 30, 0.5) + " " + x264 + " -bf 2",
		"odd":   pattern("322x182", 30, 0.5) + " " + x264,
		"full range": pattern("320x180", 30, 0.5) +
			" -c:v libx264 -preset ultrafast -threads 1 -vf scale=out_range=full -pix_fmt yuvj420p",
	}
	profiles := []core.Profile{
		{Name: "big", Width: 320, Height: 180, Bitrate: 2_000_000, Profile: core.ProfileConstrainedHigh},
		{Name: "little", Width: 192, Height: 108, Bitrate: 1_000_000, Profile: core.ProfileConstrainedHigh},
	}
	for form, script := range forms {
		for source, recipe := range sources {
			t.Run(source+" "+form, func(t *testing.T) {
				d.Script(script...)
				clip := makeClip(t, ".ts", recipe+" -muxdelay 0 -muxpreload 0 -output_ts_offset 10")
				want, got := transcode(t, clip, profiles...), run(t, gpuEngine(t, d), job(clip, profiles...))
				for k := range got.Renditions {
					if dB := worstPSNR(t, got.Renditions[k].Data, want.Renditions[k].Data); dB < least {
						t.Errorf("rendition %d: %.1f dB at worst", k, dB)
					}
				}
			})
		}
	}
}
