package libav_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// soundLimit is far above what the tests convert.
const soundLimit = 16 << 20

// decoded has ffprobe read a file of sound: its codec, rate, channels, and how long it plays when decoded.
func decoded(t *testing.T, name string, data []byte, options ...string) (stream string, played time.Duration) {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program(t, "ffprobe"), append(options, "-v", "error", "-of", "csv=p=0", "-show_entries",
		"stream=codec_name,sample_rate,channels", file)...).Output()
	if err != nil {
		t.Fatalf("ffprobe %s: %v", name, err)
	}
	raw, err := exec.Command(program(t, "ffmpeg"), append(options, "-v", "error", "-xerror", "-i", file, "-ac", "1", "-ar",
		"8000", "-f", "s16le", "-")...).Output()
	if err != nil {
		t.Fatalf("ffmpeg %s: %v", name, err)
	}
	if quiet := bytes.Count(raw, []byte{0}); len(raw) > 0 && quiet > len(raw)/2 {
		t.Errorf("%s is silent", name)
	}
	return strings.TrimSpace(string(out)), time.Duration(len(raw)/2) * time.Second / 8000
}

func TestConvertSound(t *testing.T) {
	t.Parallel()
	e := engine(t)
	sources := map[string][]byte{
		"mono":   makeClip(t, ".wav", tone(1.5)+" -ar 22050 -ac 1"),
		"stereo": makeClip(t, ".wav", tone(1.5)+" -ar 44100 -ac 2"),
		"odd":    makeClip(t, ".flac", tone(1.5)+" -ar 37800 -ac 6"),
		"opus":   makeClip(t, ".ogg", tone(1.5)+" -c:a opus -strict -2 -ar 48000"),
	}
	want := map[core.SoundFormat]map[string]string{
		core.SoundWAV:  {"mono": "pcm_s16le,22050,1", "stereo": "pcm_s16le,44100,2", "odd": "pcm_s16le,44100,2"},
		core.SoundMP3:  {"mono": "mp3,22050,1", "stereo": "mp3,44100,2", "odd": "mp3,44100,2"},
		core.SoundOpus: {"mono": "opus,48000,1", "stereo": "opus,48000,2", "opus": "opus,48000,1"},
		core.SoundAAC:  {"mono": "aac,22050,1", "stereo": "aac,44100,2", "opus": "aac,48000,1"},
		core.SoundFLAC: {"mono": "flac,22050,1", "stereo": "flac,44100,2"},
		core.SoundPCM:  {"mono": "pcm_s16le,24000,1", "stereo": "pcm_s16le,24000,1", "odd": "pcm_s16le,24000,1"},
	}
	for to, from := range want {
		for source, stream := range from {
			t.Run(to.String()+" of "+source, func(t *testing.T) {
				t.Parallel()
				out, err := e.ConvertSound(t.Context(), sources[source], to, soundLimit)
				if err != nil {
					t.Fatal(err)
				}
				var options []string
				if to == core.SoundPCM {
					options = []string{"-f", "s16le", "-sample_rate", "24000", "-ch_layout", "mono"}
				}
				got, played := decoded(t, "out."+to.String(), out, options...)
				if got != stream || played < 1450*time.Millisecond || played > 1650*time.Millisecond {
					t.Errorf("%s of %v, want %s of 1.5 s", got, played, stream)
				}
			})
		}
	}
}

// TestSoundThatCannotBeConverted: what strangers send instead of sound is a fault, and nothing is longer
// than its limit.
func TestSoundThatCannotBeConverted(t *testing.T) {
	t.Parallel()
	e := engine(t)
	wav := makeClip(t, ".wav", tone(1.5)+" -ar 44100 -ac 1")
	slow := bytes.Clone(wav)
	copy(slow[24:], []byte{1, 0, 0, 0}) // one sample a second, which would become 24 000 each
	silent := makeClip(t, ".mp4", pattern("160x90", 25, 1)+" "+x264)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for name, row := range map[string]struct {
		ctx   context.Context
		data  []byte
		to    core.SoundFormat
		limit int64
		want  fault.Code
	}{
		"nothing":          {t.Context(), nil, core.SoundMP3, soundLimit, fault.EmptyData},
		"no media":         {t.Context(), []byte("no media"), core.SoundMP3, soundLimit, fault.InvalidData},
		"no sound":         {t.Context(), silent, core.SoundMP3, soundLimit, fault.InvalidData},
		"no samples":       {t.Context(), wav[:44], core.SoundFLAC, soundLimit, fault.InvalidData},
		"longer":           {t.Context(), wav, core.SoundWAV, 1000, fault.RenditionTooLarge},
		"longer packets":   {t.Context(), wav, core.SoundAAC, 1000, fault.RenditionTooLarge},
		"an absurd rate":   {t.Context(), slow, core.SoundPCM, soundLimit, fault.InvalidData},
		"an unknown kind":  {t.Context(), wav, core.SoundFormat(99), soundLimit, fault.TranscoderInvalidInput},
		"no longer wanted": {gone, wav, core.SoundFLAC, soundLimit, fault.TranscoderStopped},
	} {
		if out, err := e.ConvertSound(row.ctx, row.data, row.to, row.limit); !errors.Is(err, row.want) || len(out) > 1000 {
			t.Errorf("%s: %d bytes, %v, want %s", name, len(out), err, row.want)
		}
	}
}

// TestSoundThatIsNoNumber: samples that are no numbers, or far beyond full scale, become sound. Encoders end their
// process at them.
func TestSoundThatIsNoNumber(t *testing.T) {
	t.Parallel()
	e := engine(t)
	for _, bytesEach := range []int{4, 8} {
		var samples []byte
		for i := range 20_000 {
			v := []float64{0.5, math.NaN(), math.Inf(1), math.Inf(-1), 1e30, -1e30, -0.5}[i%7]
			if bytesEach == 8 {
				samples = binary.LittleEndian.AppendUint64(samples, math.Float64bits(v))
			} else {
				samples = binary.LittleEndian.AppendUint32(samples, math.Float32bits(float32(v)))
			}
		}
		const rate = 44_100
		data := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(36+len(samples)))
		data = append(data, "WAVEfmt \x10\x00\x00\x00\x03\x00\x01\x00"...)
		data = binary.LittleEndian.AppendUint32(data, rate)
		data = binary.LittleEndian.AppendUint32(data, rate*uint32(bytesEach))
		data = append(data, byte(bytesEach), 0, byte(8*bytesEach), 0)
		data = binary.LittleEndian.AppendUint32(append(data, "data"...), uint32(len(samples)))
		data = append(data, samples...)
		for to := core.SoundWAV; to <= core.SoundPCM; to++ {
			if out, err := e.ConvertSound(t.Context(), data, to, soundLimit); err != nil || len(out) == 0 {
				t.Errorf("%d bits as %s: %d bytes, %v", 8*bytesEach, to, len(out), err)
			}
		}
	}
}

func FuzzConvertSound(f *testing.F) {
	e := engine(f)
	for i, ext := range []string{".wav -c:a pcm_f32le", ".flac", ".ogg -c:a opus -strict -2", ".aac", ".ts -c:a mp2"} {
		ext, codec, _ := strings.Cut(ext, " ")
		data := makeClip(f, ext, tone(0.2)+" "+codec)
		f.Add(data, byte(i))
		f.Add(data[:len(data)/2], byte(i+1))
	}
	f.Fuzz(func(t *testing.T, data []byte, to byte) {
		out, err := e.ConvertSound(t.Context(), data, core.SoundFormat(to%6), 1<<20)
		if err == nil && (len(out) == 0 || len(out) > 1<<20) {
			t.Errorf("%d bytes", len(out))
		}
		if err != nil && fault.CodeOf(err) == fault.Unexpected {
			t.Error(err)
		}
	})
}
