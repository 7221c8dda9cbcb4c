package libav_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"os"
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
		"matroska": {makeClip(t, ".mkv", tone(seconds)+" "+aac), oneSecondMatroska},
		"mp3": {silentMP3(seconds), func(t *testing.T, file []byte) {
			binary.BigEndian.PutUint32(file[find(t, file, []byte("Xing"))+4:], 40) // frames, behind flags
		}},
		"mp4":          {makeClip(t, ".mp4", tone(seconds)+" "+aac), oneSecondMP4},
		"opus in mp4":  {makeClip(t, ".mp4", tone(seconds)+" -c:a opus -strict -2 -ar 48000"), oneSecondMP4},
		"flac in mp4":  {makeClip(t, ".mp4", tone(seconds)+" -c:a flac -strict -2 -ar 44100"), oneSecondMP4},
		"opus in ogg":  {makeClip(t, ".ogg", tone(seconds)+" -c:a opus -strict -2 -ar 48000"), oneSecondOgg},
		"flac in ogg":  {makeClip(t, ".ogg", tone(seconds)+" -c:a flac -ar 44100"), oneSecondOgg},
		"opus in webm": {makeClip(t, ".webm", tone(seconds)+" -c:a opus -strict -2 -ar 48000"), oneSecondMatroska},
		"flac in mkv":  {makeClip(t, ".mkv", tone(seconds)+" -c:a flac -ar 44100"), oneSecondMatroska},
		"pcm in mkv":   {makeClip(t, ".mkv", tone(seconds)+" -c:a pcm_s16le -ar 8000"), oneSecondMatroska},
		"ac3 in mp4":   {makeClip(t, ".mp4", tone(seconds)+" -c:a ac3"), oneSecondMP4},
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

// oneSecondMatroska states a second.
func oneSecondMatroska(t *testing.T, file []byte) {
	t.Helper()
	at := find(t, file, []byte{0x44, 0x89, 0x88}) // Duration, of 8 bytes, in ms
	binary.BigEndian.PutUint64(file[at:], math.Float64bits(1000))
}

// oneSecondMP4 states a second everywhere, and that each sample takes one tick.
func oneSecondMP4(t *testing.T, file []byte) {
	t.Helper()
	for _, box := range []string{"mvhd", "mdhd"} {
		at := find(t, file, []byte(box)) + 12
		scale := binary.BigEndian.Uint32(file[at:])
		binary.BigEndian.PutUint32(file[at+4:], scale)
	}
	at := find(t, file, []byte("stts"))
	for i := range binary.BigEndian.Uint32(file[at+4:]) {
		binary.BigEndian.PutUint32(file[at+12+8*int(i):], 1)
	}
	if at := bytes.Index(file, []byte("elst")); at >= 0 {
		copy(file[at:], "free") // a list of edits may say what it likes
	}
}

// oneSecondOgg sets every page's position to what a second has at most.
func oneSecondOgg(t *testing.T, file []byte) {
	t.Helper()
	for at := 0; at+27 < len(file); {
		size := 27 + int(file[at+26])
		for _, n := range file[at+27 : at+size] {
			size += int(n)
		}
		page := file[at : at+size]
		if position := binary.LittleEndian.Uint64(page[6:]); position > 44100 && position < 1<<62 {
			binary.LittleEndian.PutUint64(page[6:], 44100)
		}
		binary.LittleEndian.PutUint32(page[22:], 0)
		binary.LittleEndian.PutUint32(page[22:], oggCRC(page))
		at += size
	}
}

// oggCRC is the checksum of a page.
func oggCRC(page []byte) (crc uint32) {
	for _, b := range page {
		crc ^= uint32(b) << 24
		for range 8 {
			if crc&(1<<31) != 0 {
				crc = crc<<1 ^ 0x04c11db7
			} else {
				crc <<= 1
			}
		}
	}
	return crc
}

// TestChainedSound: streams one after another play one after another.
func TestChainedSound(t *testing.T) {
	t.Parallel()
	for name, file := range map[string][]byte{
		"opus in ogg": makeClip(t, ".ogg", tone(10)+" -c:a opus -strict -2 -ar 48000"),
		"flac in ogg": makeClip(t, ".ogg", tone(10)+" -c:a flac -ar 44100"),
		"flac":        makeClip(t, ".flac", tone(10)+" -c:a flac -ar 44100"),
		"mp3":         silentMP3(10),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantLength(t, "four in a row", bytes.Repeat(file, 4), 40)
		})
	}
}

// TestHonestSound: real files are as long as their headers state.
func TestHonestSound(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"vp8opus.webm", "vp9vorbis.webm"} {
		file, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		i, err := libav.Probe(context.Background(), file)
		if err != nil {
			t.Fatal(err)
		}
		if stated := libav.Stated(file); i.Duration != stated.Truncate(time.Second) || stated == 0 {
			t.Errorf("%s: %s, and the header states %s", name, i.Duration, stated)
		}
		if played, stated := libav.SoundLength(file), libav.Stated(file); (played - stated).Abs() > 300*time.Millisecond {
			t.Errorf("%s: plays %s, and the header states %s", name, played, stated)
		}
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

// TestSoundInOtherContainers: what another library opens as CAF or as a program stream is not
// measured by the MP3 frames in it, which may be in a chunk that it skips.
func TestSoundInOtherContainers(t *testing.T) {
	t.Parallel()
	mp3 := silentMP3(10)
	caf := append([]byte("caff\x00\x01\x00\x00free\x00\x00\x00\x00\x00\x02\x73\x24"), mp3...)
	program := bytes.Repeat([]byte("\x00\x00\x01\xba0123456789\x00\x00\x01\xc0\x00\x04abcd"), 4)
	for name, tc := range map[string]struct {
		file []byte
		want time.Duration
	}{
		"MP3":                     {mp3, 10 * time.Second},
		"in CAF":                  {append(caf, make([]byte, 600_000)...), 0},
		"before a program stream": {append(bytes.Clone(mp3), program...), 0},
	} {
		i, err := libav.Probe(context.Background(), tc.file)
		if err != nil || i.Container != "mp3" || (i.Duration-tc.want).Abs() > time.Second {
			t.Errorf("%s: %s in %s, want %s: %v", name, i.Duration, i.Container, tc.want, err)
		}
	}
}
