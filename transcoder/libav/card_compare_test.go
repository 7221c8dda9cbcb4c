package libav_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/gpu/card"
	"github.com/tuttinode/tutti/transcoder/libav"
)

// leastDB is how near a rendition of the GPU must be to the CPU's, at the frame where
// they differ most: the encoders differ, the frames must not.
const leastDB = 28

// pair is an engine on the GPU and one on the CPU, which does the same work to compare.
type pair struct {
	card *cardEngine
	cpu  *libav.Engine
}

func newPair(t testing.TB, c *card.Card) pair { return pair{onCard(t, c), engine(t)} }

// compared is what one segment became on both engines.
type compared struct {
	card, cpu *core.TranscodeResult
	// lost is what the engine logged about work that went to the CPU.
	lost string
	// decoded are frames that the GPU decoded, -1 where that is not counted.
	decoded int64
	// alike says that the frames of all renditions are those of the CPU.
	alike bool
	// fiction says that the simulated driver made up frames.
	fiction bool
}

// same does a job on both engines, and checks that each rendition has the same frames at
// the same times and the same audio, and frames that look the same.
func (p pair) same(t *testing.T, what string, j *core.TranscodeJob) compared {
	t.Helper()
	r := p.frames(t, what, j)
	p.pictures(t, what, j, r)
	return r
}

// pictures checks that frames with the same times also look alike.
func (p pair) pictures(t *testing.T, what string, j *core.TranscodeJob, r compared) {
	t.Helper()
	switch {
	case !r.alike:
	case r.fiction:
		card.SkipCheck(t, what+": frames", invented)
	default:
		for k := range r.card.Renditions {
			near(t, fmt.Sprintf("%s, rendition %s: frames", what, j.Profiles[k].Name), r.card.Renditions[k].Data,
				r.cpu.Renditions[k].Data, leastDB)
		}
	}
}

// invented is why frames are not compared.
const invented = "the simulated driver invents the frames of such streams"

// frames is same without comparing what the frames show.
func (p pair) frames(t *testing.T, what string, j *core.TranscodeJob) compared {
	t.Helper()
	r := compared{decoded: -1}
	var err error
	r.cpu, err = p.cpu.Transcode(t.Context(), j)
	if err != nil {
		card.NoError(t, err, what+": transcoded by the CPU", "")
		return r
	}
	p.card.lost()
	r.fiction = madeUp(p.card.card, func() {
		c, counted := spent(t, p.card.card, func() { r.card, err = p.card.transcode(t, j) })
		if counted {
			r.decoded = c.PicturesDecoded
		}
	})
	r.lost = p.card.lost()
	if err != nil {
		card.NoError(t, err, what+": transcoded with the GPU", "")
		return r
	}
	card.CheckThat(t, r.card.DecodedFrames == r.cpu.DecodedFrames && r.card.DecodedPixels == r.cpu.DecodedPixels,
		what+": decoded",
		fmt.Sprintf("%d frames, %d pixels as on the CPU", r.cpu.DecodedFrames, r.cpu.DecodedPixels),
		fmt.Sprintf("%d frames, %d pixels", r.card.DecodedFrames, r.card.DecodedPixels), "")
	r.alike = r.card.DecodedFrames == r.cpu.DecodedFrames
	for k := range r.card.Renditions {
		name := fmt.Sprintf("%s, rendition %s: ", what, j.Profiles[k].Name)
		r.alike = sameFrames(t, name, r.card.Renditions[k], r.cpu.Renditions[k]) && r.alike
	}
	return r
}

// sameFrames checks that a rendition has the frames and the audio of the CPU's.
func sameFrames(t *testing.T, what string, got, want core.Rendition) bool {
	t.Helper()
	a, err := libav.Inspect(context.Background(), got.Data)
	if err != nil {
		return card.NoError(t, err, what+"decoded again", "")
	}
	b := verify(t, want.Data)
	if a.Video == nil || b.Video == nil {
		card.CheckThat(t, false, what+"video", "there", "none", "")
		return false
	}
	difference := frameDifference(a, b)
	seen := "the same"
	if difference != "" {
		seen = difference
	}
	card.CheckThat(t, difference == "", what+"presentation times and sizes",
		fmt.Sprintf("as on the CPU: %s", described(b)), seen, "")
	ordered := decodeOrder(a.Video)
	card.CheckThat(t, ordered == "" && int(got.Frames) == len(a.Video.Frames), what+"packets",
		"a key frame first, rising decode times, as many frames as stated",
		orElse(ordered, fmt.Sprintf("%d frames, %d stated", len(a.Video.Frames), got.Frames)), "")
	if b.Audio != nil {
		card.CheckThat(t, slices.Equal(sums(a), sums(b)) && slices.Equal(audioTimes(a), audioTimes(b)), what+"audio",
			fmt.Sprintf("%d packets as on the CPU, with their times", len(sums(b))),
			fmt.Sprintf("%d packets", len(sums(a))), "")
	}
	return difference == ""
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

func described(r *libav.FileReport) string {
	all := times(r)
	if len(all) == 0 {
		return "no frames"
	}
	f := r.Video.Frames[0]
	return fmt.Sprintf("%d frames of %dx%d from %d to %d", len(all), f.Width, f.Height, all[0], all[len(all)-1])
}

// frameDifference names the first frame that is not the same in both files.
func frameDifference(a, b *libav.FileReport) string {
	at, bt := times(a), times(b)
	if len(at) != len(bt) {
		return described(a)
	}
	for i := range at {
		x, y := a.Video.Frames[i], b.Video.Frames[i]
		if at[i] != bt[i] || x.Width != y.Width || x.Height != y.Height {
			return fmt.Sprintf("frame %d at %d of %dx%d, the CPU's at %d of %dx%d", i, at[i], x.Width, x.Height, bt[i],
				y.Width, y.Height)
		}
	}
	return ""
}

// decodeOrder names what is wrong with the order of a file's packets.
func decodeOrder(v *libav.VideoReport) string {
	if len(v.Packets) == 0 || !v.Packets[0].Key {
		return "no key frame first"
	}
	for i, p := range v.Packets {
		if p.DTS > p.PTS || i > 0 && p.DTS <= v.Packets[i-1].DTS {
			return fmt.Sprintf("packet %d is decoded at %d and shown at %d", i, p.DTS, p.PTS)
		}
	}
	return ""
}

// near checks how near two files' frames are in every frame.
func near(t *testing.T, what string, got, want []byte, least float64) {
	t.Helper()
	d, err := compare(t, got, want)
	if err != nil {
		card.NoError(t, err, what+" compared", "")
		return
	}
	card.CheckThat(t, d.frames > 0 && d.worst >= least, what, fmt.Sprintf("at least %.0f dB in every frame", least),
		fmt.Sprintf("%d frames compared, mean %.1f dB", d.frames, d.mean), fmt.Sprintf("%.1f dB", d.worst))
}

// psnr is how near the frames of two files are, in dB. Equal frames count as 100 dB.
type psnr struct {
	frames, equal int
	mean, worst   float64
}

func compare(t *testing.T, a, b []byte) (psnr, error) {
	t.Helper()
	dir := t.TempDir()
	for name, data := range map[string][]byte{"a": a, "b": b} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return psnr{}, err
		}
	}
	return measured(t, dir, nil, "-i", "a", "-i", "b", "-lavfi", "[0:v][1:v]psnr=stats_file=stats", "-f", "null", "-")
}

// measured runs an ffmpeg command whose psnr filter writes to the file "stats" in a
// directory.
func measured(t *testing.T, dir string, env []string, args ...string) (psnr, error) {
	t.Helper()
	if err := ffmpegIn(t, dir, env, args...); err != nil {
		return psnr{}, err
	}
	text, err := os.ReadFile(filepath.Join(dir, "stats"))
	if err != nil {
		return psnr{}, err
	}
	return statistics(text), nil
}

func statistics(text []byte) psnr {
	const equal = 100
	p := psnr{worst: equal}
	for _, m := range psnrAverage.FindAllSubmatch(text, -1) {
		v, err := strconv.ParseFloat(string(m[1]), 64)
		if string(m[1]) == "inf" {
			p.equal++
		}
		if err != nil || v > equal {
			v = equal
		}
		p.frames++
		p.mean += v
		p.worst = min(p.worst, v)
	}
	if p.frames > 0 {
		p.mean /= float64(p.frames)
	}
	return p
}

// ffmpegIn runs ffmpeg in a directory.
func ffmpegIn(t *testing.T, dir string, env []string, args ...string) error {
	t.Helper()
	path := program(t, "ffmpeg")
	return inTime(t, "ffmpeg", func(ctx context.Context) error {
		cmd := exec.CommandContext(ctx, path, append([]string{"-v", "error", "-nostdin", "-y"}, args...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
		var said bytes.Buffer
		cmd.Stderr = &said
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("ffmpeg: %w: %s", err, lastLines(said.String()))
		}
		return nil
	})
}

var lineEnds = regexp.MustCompile(`[\r\n]+`)

// lastLines is the end of what a program printed, as one line.
func lastLines(text string) string {
	const enough = 600
	text = lineEnds.ReplaceAllString(text, "; ")
	return text[max(0, len(text)-enough):]
}
