package fakegpu_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestTranscodeOnTheDevice(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	out := filepath.Join(t.TempDir(), "out.mp4")
	m.must(t, m.transcode(out, "-g", "25", "-forced-idr", "1", "-force_key_frames", "expr:gte(t,n_forced*0.5)")...)

	if got, want := m.probe(t, out, "-show_entries", "stream=codec_name,width,height"), "h264,320,180"; got != want {
		t.Errorf("stream is %s, want %s", got, want)
	}
	flags := strings.Split(m.probe(t, out, "-show_entries", "packet=flags"), "\n")
	if len(flags) != 60 {
		t.Errorf("%d packets, want 60", len(flags))
	}
	for i, f := range flags {
		// Every half second is forced, before the 25 frames of a GOP are over.
		if forced := i%15 == 0; strings.HasPrefix(f, "K") != forced {
			t.Errorf("packet %d has flags %s, keyframe wanted: %t", i, f, forced)
		}
	}
	m.must(t, "-xerror", "-err_detect", "explode", "-i", out, "-f", "null", "-")

	c := m.Counts(0)
	if c.DecodersCreated != 1 || c.DecodersDestroyed != 1 || c.EncodersOpened != 1 || c.EncodersClosed != 1 ||
		c.ContextsCreated != c.ContextsDestroyed {
		t.Errorf("lives do not match: %+v", c)
	}
	if c.PicturesDecoded != 60 || c.PicturesEncoded != 60 || c.Kernels != 120 || c.PicturesMadeUp != 0 {
		t.Errorf("frames do not match: %+v", c)
	}
	if c.UploadedBytes != 0 || c.DownloadedBytes != 0 {
		t.Errorf("frames left the device: %+v", c)
	}
	if c.Held.Memory != 0 || c.Held.Encoders != 0 || c.Held.Decoders != 0 {
		t.Errorf("something is still held: %+v", c.Held)
	}
}

func TestDecodesBitExactly(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	cases := map[string][]string{
		"B-frames":         {"-bf", "3", "-x264-params", "b-pyramid=normal:ref=4:weightp=2"},
		"CAVLC":            {"-profile:v", "baseline"},
		"slices":           {"-x264-params", "slices=4"},
		"interlaced":       {"-flags", "+ildct+ilme", "-x264-params", "tff=1"},
		"open GOP":         {"-x264-params", "open-gop=1:keyint=12"},
		"scaling matrices": {"-x264-params", "cqm=jvt"},
		"intra refresh":    {"-x264-params", "intra-refresh=1:keyint=20"},
	}
	for name, settings := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			in := filepath.Join(dir, "in.ts")
			m.must(t, append(append([]string{"-f", "lavfi", "-i", "testsrc2=s=352x288:r=25:d=2", "-c:v", "libx264", "-pix_fmt",
				"yuv420p"}, settings...), in)...)
			m.must(t, "-hwaccel", "cuda", "-i", in, "-vf", "format=nv12", "-f", "framemd5", filepath.Join(dir, "gpu"))
			m.must(t, "-i", in, "-vf", "format=nv12", "-f", "framemd5", filepath.Join(dir, "cpu"))
			gpu, cpu := hashes(t, filepath.Join(dir, "gpu")), hashes(t, filepath.Join(dir, "cpu"))
			if len(gpu) != 50 || !slices.Equal(gpu, cpu) {
				t.Errorf("%d frames from the device, %d from the CPU, and not the same", len(gpu), len(cpu))
			}
		})
	}
	if c := m.Counts(0); c.PicturesMadeUp != 0 || c.DecodersCreated != int64(len(cases)) {
		t.Errorf("not all went through the decoder: %+v", c)
	}
}

// Clips of other packages, coded as this machine's FFmpeg cannot.
func TestDecodesOtherCodecs(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "decoder.least=16")
	for file, format := range map[string]string{
		"transcoder/devices/clips/hevc.ts": "nv12", "server/gateway/verify/testdata/hevc.ts": "nv12",
		"server/gateway/verify/testdata/hevc_open.ts": "nv12",
		"server/gateway/verify/testdata/hevc_rasl.ts": "nv12", "server/gateway/verify/testdata/hevc_slices.mp4": "p010le",
		"transcoder/devices/clips/vp8.webm": "nv12", "transcoder/devices/clips/vp9.webm": "nv12",
		"transcoder/libav/testdata/hevc10.mp4": "p010le", "transcoder/libav/testdata/vp9.webm": "nv12",
	} {
		t.Run(filepath.Base(file), func(t *testing.T) {
			dir := t.TempDir()
			in := filepath.Join("../..", file)
			before := m.Counts(0)
			m.must(t, "-hwaccel", "cuda", "-i", in, "-an", "-vf", "format="+format, "-f", "framemd5", filepath.Join(dir, "gpu"))
			m.must(t, "-i", in, "-an", "-vf", "format="+format, "-f", "framemd5", filepath.Join(dir, "cpu"))
			gpu, cpu := hashes(t, filepath.Join(dir, "gpu")), hashes(t, filepath.Join(dir, "cpu"))
			c := m.Counts(0)
			if len(gpu) == 0 || !slices.Equal(gpu, cpu) {
				t.Errorf("%d frames from the device, %d from the CPU, and not the same; made up: %d", len(gpu), len(cpu),
					c.PicturesMadeUp-before.PicturesMadeUp)
			}
			if c.PicturesDecoded-before.PicturesDecoded < int64(len(gpu)) || c.PicturesMadeUp > 0 {
				t.Errorf("%d frames, of which the device decoded %d", len(gpu), c.PicturesDecoded-before.PicturesDecoded)
			}
		})
	}
}

func TestEncodesHEVC(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "device.codecs=h264,hevc")
	for _, container := range []string{"ts", "mp4"} {
		out := filepath.Join(t.TempDir(), "out."+container)
		m.must(t, m.transcode(out, "-c:v", "hevc_nvenc", "-g", "20")...)
		if got, want := m.probe(t, out, "-show_entries",
			"stream=codec_name,profile,width,height"), "hevc,Main,320,180"; strings.Fields(got)[0] != want {
			t.Errorf("stream is %s, want %s", got, want)
		}
		for i, f := range strings.Split(m.probe(t, out, "-show_entries", "packet=flags"), "\n") {
			if strings.HasPrefix(f, "K") != (i%20 == 0) {
				t.Errorf("packet %d has flags %s", i, f)
			}
		}
		said := m.must(t, "-xerror", "-err_detect", "explode", "-i", out, "-i", m.input, "-filter_complex",
			"[1]scale=320:180:flags=bicubic[b];[0]setpts=PTS-STARTPTS[a];[b]setpts=PTS-STARTPTS[c];[a][c]psnr", "-f", "null",
			"-")
		if psnr := average(t, said); psnr < 30 {
			t.Errorf("PSNR is %.1f dB", psnr)
		}
	}
}

func average(t *testing.T, said string) float64 {
	t.Helper()
	found := regexp.MustCompile(`average:([0-9.]+|inf)`).FindStringSubmatch(said)
	if found == nil {
		t.Fatalf("no PSNR in:\n%s", said)
	}
	psnr, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return psnr
}

func TestScalesLikeSwscale(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	for _, c := range []struct{ name, filter, format string }{
		{"down", "scale_cuda=320:180", "nv12"}, {"up", "scale_cuda=960:540", "nv12"},
		{"planar", "scale_cuda=320:180:format=yuv420p", "yuv420p"},
		{"and back", "scale_cuda=320:180:format=yuv420p,scale_cuda=format=nv12:passthrough=0", "nv12"},
		{"deep", "scale_cuda=320:180:format=p010le,scale_cuda=format=nv12", "nv12"},
		{"lanczos", "scale_cuda=480:270:interp_algo=lanczos", "nv12"},
		{"bilinear", "scale_cuda=320:180:interp_algo=bilinear", "nv12"},
	} {
		t.Run(c.name, func(t *testing.T) {
			graph := "gradients=s=640x360:r=10:d=1:speed=0.05,format=nv12,split[a][b];[a]hwupload_cuda," + c.filter +
				",hwdownload,format=" + c.format + ",format=yuv420p[gpu];[b]scale=" + sizeOf(c.filter) +
				":flags=bicubic,format=yuv420p[cpu];[gpu][cpu]psnr"
			said := m.must(t, "-f", "lavfi", "-i", "nullsrc=s=16x16:d=0.1", "-filter_complex", graph+"[out]", "-map", "[out]",
				"-f", "null", "-")
			if psnr := average(t, said); psnr < 40 {
				t.Errorf("PSNR is %.1f dB, want 40 or more", psnr)
			}
		})
	}
	if c := m.Counts(0); c.UploadedBytes == 0 || c.DownloadedBytes == 0 {
		t.Errorf("frames are not counted on their way: %+v", c)
	}
}

func sizeOf(filter string) string {
	return regexp.MustCompile(`\d+:\d+`).FindString(filter)
}

func TestDownloadForAnEncoderOnTheCPU(t *testing.T) {
	t.Parallel()
	m := newMachine(t, "device.encodes=0")
	out := filepath.Join(t.TempDir(), "out.ts")
	m.must(t, "-hwaccel", "cuda", "-hwaccel_output_format", "cuda", "-i", m.input, "-vf",
		"scale_cuda=320:180,hwdownload,format=nv12", "-c:v", "libx264", "-preset", "ultrafast", out)
	if got := len(strings.Split(m.probe(t, out, "-show_entries", "packet=pts"), "\n")); got != 60 {
		t.Errorf("%d packets, want 60", got)
	}
	if c := m.Counts(0); c.DownloadedBytes < 60*320*180*3/2 || c.EncodersOpened != 0 {
		t.Errorf("wrong path: %+v", c)
	}
}

func TestUploadFromADecoderOnTheCPU(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	out := filepath.Join(t.TempDir(), "out.ts")
	m.must(t, "-init_hw_device", "cuda=g:0", "-filter_hw_device", "g", "-i", m.input, "-vf",
		"format=nv12,hwupload,scale_cuda=320:180", "-c:v", "h264_nvenc", out)
	m.must(t, "-xerror", "-err_detect", "explode", "-i", out, "-f", "null", "-")
	if c := m.Counts(0); c.DecodersCreated != 0 || c.PicturesEncoded != 60 || c.UploadedBytes < 60*640*360*3/2 {
		t.Errorf("wrong path: %+v", c)
	}
}
