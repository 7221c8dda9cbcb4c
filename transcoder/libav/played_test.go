package libav_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/tuttinode/tutti/transcoder/libav"
)

// TestHeaderLies: sound is as long as it plays, whatever the file's header says of it.
func TestHeaderLies(t *testing.T) {
	t.Parallel()
	const seconds = 40
	for name, tc := range map[string]struct {
		file []byte
		lie  func(t *testing.T, file []byte)
	}{
		"matroska": {makeClip(t, ".mkv", tone(seconds)+" "+aac), func(t *testing.T, file []byte) {
			at := find(t, file, []byte{0x44, 0x89, 0x88}) // Duration, of 8 bytes, in ms
			binary.BigEndian.PutUint64(file[at:], math.Float64bits(1000))
		}},
		"mp3": {silentMP3(seconds), func(t *testing.T, file []byte) {
			binary.BigEndian.PutUint32(file[find(t, file, []byte("Xing"))+4:], 40) // frames, behind flags
		}},
		"mp4": {makeClip(t, ".mp4", tone(seconds)+" "+aac), func(t *testing.T, file []byte) {
			for _, box := range []string{"mvhd", "mdhd"} {
				at := find(t, file, []byte(box)) + 12
				scale := binary.BigEndian.Uint32(file[at:])
				binary.BigEndian.PutUint32(file[at+4:], scale)
			}
			// A sample count in one entry: each of one tick.
			at := find(t, file, []byte("stts")) + 8
			binary.BigEndian.PutUint32(file[at+4:], 1)
		}},
		"flac": {makeClip(t, ".flac", tone(seconds)+" -c:a flac -ar 44100"), func(t *testing.T, file []byte) {
			at := find(t, file, []byte("fLaC")) + 4 + 10 // rate, channels, bits; then 36 bits of samples
			v := binary.BigEndian.Uint64(file[at:])
			binary.BigEndian.PutUint64(file[at:], v&^(1<<36-1)|44100)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := slices.Clone(tc.file)
			wantLength(t, "an honest header", file, seconds)
			tc.lie(t, file)
			wantLength(t, "a liar's", file, seconds)
		})
	}
}

// silentMP3 is of layer III frames at 128 kb/s and 44.1 kHz, behind one that says how
// many there are.
func silentMP3(seconds int) []byte {
	const size, samples, rate = 417, 1152, 44100
	frames := seconds * rate / samples
	frame := make([]byte, size)
	copy(frame, []byte{0xff, 0xfb, 0x90, 0x00})
	file := bytes.Repeat(frame, 1+frames)
	copy(file[4+32:], "Xing\x00\x00\x00\x01")
	binary.BigEndian.PutUint32(file[4+32+8:], uint32(frames))
	return file
}

// find is where what follows mark begins.
func find(t *testing.T, file, mark []byte) int {
	t.Helper()
	at := bytes.Index(file, mark)
	if at < 0 {
		t.Fatalf("no %q in the file", mark)
	}
	return at + len(mark)
}

func wantLength(t *testing.T, what string, file []byte, seconds int) {
	t.Helper()
	i, err := libav.Probe(context.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	if got := i.Duration; (got - time.Duration(seconds)*time.Second).Abs() > time.Second {
		t.Errorf("%s: %s, want about %d s", what, got, seconds)
	}
}
