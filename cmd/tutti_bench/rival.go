package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/transcoder/libav"
)

// rival is one ffmpeg process per stream, which makes the whole ladder in one
// decode.
type rival struct {
	s        settings
	sessions int
	// input is all segments one after another; period is how long the longest of them
	// plays.
	input  string
	period time.Duration
	// noEncoder has the names of the GPUs whose frames the CPU encodes.
	noEncoder map[string]bool
}

// software reports whether the CPU encodes what a device scales.
func (r rival) software(t target) bool { return !t.gpu() || r.noEncoder[t.name] }

var errNoTransportStream = errors.New("-against: the input is no MPEG-TS, and segments of other formats cannot be " +
	"joined")

// joined writes the segments as one file and returns its path.
func joined(path string, pieces []piece) (_ string, period time.Duration, err error) {
	var all bytes.Buffer
	for _, p := range pieces {
		if len(p.data) == 0 || p.data[0] != 'G' {
			return "", 0, errNoTransportStream
		}
		period = max(period, p.duration)
	}
	for _, p := range continuous(pieces) {
		all.Write(p.data)
	}
	return path, period, os.WriteFile(path, all.Bytes(), 0o600)
}

// run gives every stream to a process of its own, the devices in turn.
func (r rival) run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for k := range r.sessions {
		group.Go(func() error {
			t := r.s.devices[k%len(r.s.devices)]
			cmd := exec.CommandContext(ctx, r.s.against, r.args(t)...)
			if t.gpu() {
				visible := t.name
				if t.uuid != "" {
					visible = string(t.uuid)
				}
				cmd.Env = append(os.Environ(), "CUDA_DEVICE_ORDER=PCI_BUS_ID", "CUDA_VISIBLE_DEVICES="+visible)
			}
			if text, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("%s: %w: %.2000s", r.s.against, err, bytes.TrimSpace(text))
			}
			return ctx.Err()
		})
	}
	return group.Wait()
}

// args returns the command line that does on a device what our engine does.
func (r rival) args(t target) []string {
	args := []string{"-nostdin", "-v", "error", "-y"}
	if t.gpu() {
		args = append(args, "-hwaccel", "cuda", "-hwaccel_output_format", "cuda")
	} else if r.sessions >= runtime.NumCPU() {
		// With as many processes as CPU cores they do best with one thread each.
		args = append(args, "-threads", "1", "-filter_complex_threads", "1")
	}
	args = append(args, "-i", r.input, "-filter_complex", r.graph(t))
	for i, p := range r.s.profiles {
		args = append(args, "-map", fmt.Sprintf("[v%d]", i), "-map", "0:a?", "-c:a", "copy")
		args = append(args, r.encoder(t, p)...)
		args = append(args, "-f", "mpegts", os.DevNull)
	}
	return args
}

// graph decodes once and scales for every rendition. The source's shape wins, as
// with us.
func (r rival) graph(t target) string {
	scale := "scale"
	if t.gpu() {
		scale = "scale_cuda"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "[0:v]split=%d", len(r.s.profiles))
	for i := range r.s.profiles {
		fmt.Fprintf(&b, "[s%d]", i)
	}
	for i, p := range r.s.profiles {
		fmt.Fprintf(&b, ";[s%d]", i)
		if !p.FPS.Passthrough() {
			num, den := p.FPS.Norm()
			fmt.Fprintf(&b, "fps=%d/%d,", num, den)
		}
		fmt.Fprintf(&b, "%s=%d:-2", scale, max(p.Width, p.Height)&^1)
		if t.gpu() && r.software(t) {
			// As with us: 8-bit frames come down in the layout that the GPU has.
			b.WriteString(":format=nv12,hwdownload,format=nv12")
		}
		fmt.Fprintf(&b, "[v%d]", i)
	}
	return b.String()
}

func (r rival) encoder(t target, p core.Profile) []string {
	codec := map[core.VideoCodec]string{core.CodecH264: "h264", core.CodecHEVC: "hevc"}[p.Encoder]
	args := []string{"-c:v", codec + "_nvenc"}
	if r.software(t) {
		preset := r.s.preset
		if preset == "" {
			preset = libav.DefaultPreset
		}
		args = []string{"-c:v", "libx264", "-preset", preset}
		if !t.gpu() {
			args = append(args, "-pix_fmt", "yuv420p")
		}
		if r.sessions >= runtime.NumCPU() {
			args = append(args, "-threads", "1")
		}
	}
	if p.Bitrate > 0 {
		rate := fmt.Sprint(p.Bitrate)
		args = append(args, "-b:v", rate, "-maxrate", rate, "-bufsize", rate)
	}
	switch p.Profile {
	case core.ProfileBaseline:
		args = append(args, "-profile:v", "baseline", "-bf", "0")
	case core.ProfileConstrainedHigh:
		args = append(args, "-profile:v", "high", "-bf", "0")
	case core.ProfileMain:
		args = append(args, "-profile:v", "main", "-bf", "3")
	case core.ProfileHigh:
		args = append(args, "-profile:v", "high", "-bf", "3")
	case core.ProfileDefault:
	}
	// Our renditions begin with a key frame each.
	return append(args, "-fps_mode", "passthrough", "-force_key_frames",
		fmt.Sprintf("expr:gte(t,n_forced*%g)", r.period.Seconds()))
}
