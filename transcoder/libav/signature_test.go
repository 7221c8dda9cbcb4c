package libav_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tuttinode/tutti/core"
)

// The signature is that of the frames as they go to the encoder: the same bytes
// as ffmpeg's filter writes for the source scaled in the same way.
func TestSignature(t *testing.T) {
	t.Parallel()
	source := segment(t)
	j := job(source, small("a", nil), small("b", fps(30, 1)))
	j.Signature = true
	got := run(t, engine(t), j)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "in.ts"), source, 0o600); err != nil {
		t.Fatal(err)
	}
	for i, filter := range []string{"", "fps=30,"} {
		want := filepath.Join(dir, "want.bin")
		cmd := exec.Command(program(t, "ffmpeg"), "-loglevel", "error", "-nostdin", "-copyts", "-i", "in.ts", "-an",
			"-vf", filter+"scale=256:144:flags=bicubic,"+
				"signature=format=binary:filename=want.bin", "-fps_mode", "passthrough", "-f", "null", "-")
		cmd.Dir = dir
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		data, err := os.ReadFile(want)
		if err != nil {
			t.Fatal(err)
		}
		sign := got.Renditions[i].Signature
		if len(sign) == 0 || len(sign) != len(data) {
			t.Errorf("rendition %d: %d bytes, ffmpeg writes %d", i, len(sign), len(data))
		}
		if i == 0 && !bytes.Equal(sign, data) {
			t.Error("the signature differs from ffmpeg's")
		}
		if err := os.Remove(want); err != nil {
			t.Fatal(err)
		}
	}
	if bytes.Equal(got.Renditions[0].Signature, got.Renditions[1].Signature) {
		t.Error("different frames, same signature")
	}
}

func TestSignatureOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	if s := transcode(t, segment(t), small("x", nil)).Renditions[0].Signature; s != nil {
		t.Errorf("%d bytes nobody asked for", len(s))
	}
}

// A source that turns has one signature too.
func TestSignatureOfTurningSource(t *testing.T) {
	t.Parallel()
	source := append(bytes.Clone(makeClip(t, ".ts", pattern("100x56", 30, 1)+" "+x264+" -bf 0 -output_ts_offset 10")),
		makeClip(t, ".ts", pattern("56x100", 30, 1)+" "+x264+" -bf 0 -output_ts_offset 11")...)
	j := job(source, small("x", func(p *core.Profile) { p.Format = core.FormatMP4 }))
	j.Signature = true
	if r := run(t, engine(t), j).Renditions[0]; len(r.Signature) == 0 || r.Frames != 60 {
		t.Errorf("%d bytes for %d frames", len(r.Signature), r.Frames)
	}
}
