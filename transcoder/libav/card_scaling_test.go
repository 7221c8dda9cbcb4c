package libav_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/gpu/card"
	"github.com/tuttinode/tutti/transcoder/libav"
)

// ratio is a source's size and a rendition's.
type ratio struct {
	srcW, srcH, w, h int
	// sharpDB is what a frame with sharp edges must reach: 3 dB less than the kernels of
	// the simulated driver do, which are written after those of scale_cuda.
	sharpDB float64
	// large says that it is for the long form only.
	large bool
}

func (r ratio) String() string { return fmt.Sprintf("%dx%d to %dx%d", r.srcW, r.srcH, r.w, r.h) }

func ratios() []ratio {
	return []ratio{
		{640, 360, 320, 180, 38, false}, {640, 360, 480, 270, 38, false}, {640, 360, 256, 144, 35, false},
		{640, 360, 160, 90, 36, false},
		{640, 360, 960, 540, 40, false}, {1280, 720, 426, 240, 36, false}, {322, 182, 192, 108, 31, false},
		{360, 640, 180, 320, 37, false},
		{1920, 1080, 1280, 720, 38, true}, {1920, 1080, 854, 480, 39, true}, {1920, 1080, 256, 144, 32, true},
		{3840, 2160, 1920, 1080, 44, true}, {3840, 2160, 426, 240, 38, true},
	}
}

// smoothDB is what smooth frames must reach against swscale. They tell a wrong range,
// plane or color; sharp ones tell samples that are shifted, repeated or left out.
const smoothDB = 40

// TestCardScales: frames that the GPU decoded and scaled, with the filters that the
// engine uses, are those that swscale makes of the same frames.
func TestCardScales(t *testing.T) {
	end := card.Deadline(t, 2*time.Minute)
	c := card.Load(t)
	notHung(t)
	for _, r := range ratios() {
		if r.large && !card.Full() || late(t, end, r.String()) {
			continue
		}
		size := fmt.Sprintf("%dx%d", r.srcW, r.srcH)
		// What is scaled up is smooth.
		smooth := pattern("64x36", 25, 0.4) + " -vf scale=" + size + ":flags=bicubic"
		if r.srcH > r.srcW {
			smooth = pattern("36x64", 25, 0.4) + " -vf scale=" + size + ":flags=bicubic"
		}
		scales(t, c, r, "smooth", smooth, smoothDB)
		scales(t, c, r, "sharp", pattern(size, 25, 0.4), r.sharpDB)
	}
}

func scales(t *testing.T, c *card.Card, r ratio, kind, recipe string, least float64) {
	t.Helper()
	what := fmt.Sprintf("%s frame, %s", kind, r)
	dir := t.TempDir()
	clip := makeClip(t, ".ts", recipe+" "+x264+" -qp 12")
	if err := os.WriteFile(filepath.Join(dir, "in"), clip, 0o600); err != nil {
		t.Fatal(err)
	}
	graph := fmt.Sprintf("[0:v]%s,hwdownload,format=nv12,format=yuv420p[a];"+
		"[1:v]scale=%d:%d:flags=bicubic,format=yuv420p[b];[a][b]psnr=stats_file=stats",
		libav.Cascade(r.srcW, r.srcH, r.w, r.h), r.w, r.h)
	d, err := measured(t, dir, c.Env(), "-hwaccel", "cuda", "-hwaccel_output_format", "cuda", "-i", "in", "-threads",
		"1", "-i", "in", "-lavfi", graph, "-f", "null", "-")
	if err != nil {
		card.NoError(t, err, what, "")
		return
	}
	card.CheckThat(t, d.frames > 0 && d.worst >= least, what,
		fmt.Sprintf("at least %.0f dB to swscale in every frame", least),
		fmt.Sprintf("%d frames compared, mean %.1f dB", d.frames, d.mean), fmt.Sprintf("%.1f dB", d.worst))
}

// TestCardPictures: whole renditions of many bits look like the CPU's, from sources of
// different shapes and in both containers.
func TestCardPictures(t *testing.T) {
	end := card.Deadline(t, 2*time.Minute)
	p := newPair(t, card.Load(t))
	sources := []struct {
		name, recipe string
		large        bool
	}{
		{"960x540", pattern("960x540", 30, 0.5) + " " + x264 + " -bf 2", false},
		{"180x320", pattern("180x320", 30, 0.5) + " " + x264, false},
		{"1280x720 of 60 frames", pattern("1280x720", 60, 0.5) + " " + x264 + " -bf 2", true},
		{"1920x1080", pattern("1920x1080", 30, 1) + " " + x264 + " -bf 2", true},
	}
	profiles := append(second(),
		core.Profile{Name: "MP4", Width: 256, Height: 144, Bitrate: 2_000_000, Format: core.FormatMP4,
			Profile: core.ProfileMain},
		core.Profile{Name: "15 fps", Width: 256, Height: 144, Bitrate: 2_000_000, FPS: core.Framerate{Num: 15, Den: 1},
			Profile: core.ProfileHigh})
	if card.Full() {
		profiles = append(profiles, core.Profile{Name: "720p", Width: 1280, Height: 720, Bitrate: 12_000_000,
			Profile: core.ProfileHigh})
	}
	for _, s := range sources {
		if s.large && !card.Full() || late(t, end, s.name) {
			continue
		}
		p.same(t, s.name, in(s.name, makeClip(t, ".ts", s.recipe+" -muxdelay 0 -muxpreload 0 -output_ts_offset 10"),
			profiles...))
	}
}
