package libav

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// keptClip makes a clip of 60 frames with frames out of order; at says when it begins.
func keptClip(t *testing.T, ext, args string, at int) []byte {
	t.Helper()
	prefix := os.Getenv("TUTTI_DEPS")
	if prefix == "" {
		t.Skip("TUTTI_DEPS is not set, so there is no ffmpeg to make clips with: run `make test`")
	}
	out := filepath.Join(t.TempDir(), "clip"+ext)
	full := fmt.Sprintf("-hide_banner -loglevel error -nostdin -f lavfi -i testsrc2=size=160x96:rate=30:duration=2 %s"+
		" -muxdelay 0 -muxpreload 0 -output_ts_offset %d -y %s", args, at, out)
	if text, err := exec.Command(filepath.Join(prefix, "bin", "ffmpeg"),
		strings.Fields(full)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// decodeKept decodes a segment with a session's decoder and returns its times.
func decodeKept(t *testing.T, k **keptDecoder, data []byte) []int64 {
	t.Helper()
	in, err := openInput(data)
	if err != nil {
		t.Fatal(err)
	}
	defer in.close()
	if *k == nil {
		if *k, err = openKept(in.video.CodecParameters(), nil); err != nil {
			t.Fatal(err)
		}
	} else if (*k).key != keyOf(in.video.CodecParameters()) {
		t.Error("the next segment does not fit the decoder")
	}
	(*k).begin()
	d := &decoder{in: in, c: (*k).c, kept: *k, threads: 1}
	defer d.close()
	d.line.Nominal = nominal(in)
	var times []int64
	err = d.run(context.Background(), func(p decodedFrame) error {
		times = append(times, p.time)
		p.frame.Free()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return times
}

// TestMarkersBringEveryFrameOut gives one decoder segments in any order and wants of
// each exactly the frames and times that a decoder of its own finds.
func TestMarkersBringEveryFrameOut(t *testing.T) {
	t.Parallel()
	const x264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -threads 1"
	for name, recipe := range map[string][2]string{
		"no reordering":        {".ts", x264 + " -bf 0"},
		"three B frames":       {".ts", x264 + " -bf 3 -b_strategy 0"},
		"a pyramid":            {".ts", x264 + " -bf 7 -b_strategy 0 -x264-params b-pyramid=normal:ref=4"},
		"many key frames":      {".ts", x264 + " -bf 2 -g 7"},
		"open groups":          {".ts", x264 + " -bf 2 -g 15 -x264-params open-gop=1"},
		"interlaced":           {".ts", x264 + " -bf 2 -flags +ildct+ilme"},
		"lengths, not Annex B": {".mp4", x264 + " -bf 3 -b_strategy 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var clips [][]byte
			var want [][]int64
			for i := range 3 {
				clips = append(clips, keptClip(t, recipe[0], recipe[1], 10+2*i))
				var alone *keptDecoder
				want = append(want, decodeKept(t, &alone, clips[i]))
				alone.close()
				if len(want[i]) != 60 {
					t.Fatalf("a decoder alone gives %d frames", len(want[i]))
				}
			}
			var k *keptDecoder
			for _, i := range []int{0, 1, 2, 2, 0, 1} {
				if got := decodeKept(t, &k, clips[i]); !slices.Equal(got, want[i]) {
					t.Errorf("segment %d: %d frames %v, want %d %v", i, len(got), got, len(want[i]), want[i])
				}
				if !k.markers.complete() {
					t.Errorf("segment %d: not complete after %d markers", i, k.markers.sent)
				}
			}
			k.close()
		})
	}
}

// TestOtherCodecsAreFlushed covers the way of the codecs that take an end of stream.
func TestOtherCodecsAreFlushed(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"hevc.ts", "vp9.webm", "vp8.webm", "av1.mp4"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		var k *keptDecoder
		first := decodeKept(t, &k, data)
		if again := decodeKept(t, &k, data); len(first) == 0 || !slices.Equal(first, again) {
			t.Errorf("%s: %v, then %v", name, first, again)
		}
		k.close()
	}
}

func TestNALUnits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		data   []byte
		length int
		want   bool
	}{
		{"nothing", nil, 0, false},
		{"IDR", []byte{0, 0, 0, 1, 0x67, 9, 0, 0, 1, 0x65, 1}, 0, true},
		{"no IDR", []byte{0, 0, 0, 1, 0x67, 9, 0, 0, 1, 0x41, 1}, 0, false},
		{"cut off", []byte{0, 0, 1}, 0, false},
		{"lengths, IDR", []byte{0, 0, 0, 2, 0x67, 1, 0, 0, 0, 1, 0x65}, 4, true},
		{"lengths, none", []byte{0, 2, 0x67, 1, 0, 1, 0x41}, 2, false},
		{"length beyond the end", []byte{0xff, 0xff, 0x67}, 2, false},
		{"length of nothing", []byte{0, 0, 0x67, 0x65}, 2, false},
		{"only a length", []byte{0, 0, 0, 1}, 4, false},
	} {
		if got := hasIDR(tt.data, tt.length); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
	if n := lengthSize([]byte{1, 0x64, 0, 0x1f, 0xff, 0xe1, 0}); n != 4 {
		t.Errorf("length size %d", n)
	}
	if n := lengthSize([]byte{0, 0, 0, 1, 0x67, 0, 0}); n != 0 {
		t.Errorf("Annex B has length size %d", n)
	}
}

// FuzzIDR: outside bytes.
func FuzzIDR(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 0x65}, 0)
	f.Add([]byte{0, 0, 0, 1, 0x65}, 4)
	f.Fuzz(func(t *testing.T, data []byte, n int) {
		hasIDR(data, n&7)
		lengthSize(data)
	})
}

// TestConditions: words decide, not values.
func TestConditions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"[h264_nvenc @ 0x1] " +
			"OpenEncodeSessionEx failed: out of memory (10): (no details)": "EncoderSessionsExhausted",
		"[AVHWDeviceContext @ 0x1] " +
			"cu->cuCtxCreate(...) failed -> CUDA_ERROR_OUT_OF_MEMORY: out of memory": "GPUOutOfMemory",
		"[h264_nvenc @ 0x1] " +
			"InitializeEncoder failed: out of memory (10)": "GPUOutOfMemory",
		"[h264 @ 0x1] " +
			"decoder->cvdl->cuvidDecodePicture(...) failed -> CUDA_ERROR_LAUNCH_FAILED: unspecified launch " +
			"failure": "UnrecoverableState",
		"[h264_nvenc @ 0x1] " +
			"Driver does not support the required nvenc API version. Required: 12.1 Found: 11.0": "DriverTooOld",
		"[AVHWDeviceContext @ 0x1] " +
			"Cannot load libcuda.so.1": "CUDALibrary",
		"[h264_nvenc @ 0x1] " +
			"Cannot load libnvidia-encode.so.1": "",
		"[h264 @ 0x1] " +
			"Hardware is lacking required capabilities": "",
		"": "",
	} {
		if got := string(condition(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
