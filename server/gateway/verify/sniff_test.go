package verify_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/gateway/verify"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The files were written by FFmpeg 5.1 from its test pattern; the expected
// values are what its prober says of them.
func TestSegment(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]verify.SniffedInfo{
		"h264.ts": {Video: "h264", Audio: "aac", Width: 320, Height: 180, PixelFormat: "yuv420p", FPS: 30,
			Codecs: "avc1.42c00d,mp4a.40.2"},
		"hd.ts": {Video: "h264", Width: 1920, Height: 1080, PixelFormat: "yuv420p", FPS: 30, Codecs: "avc1.42c028"},
		"odd422.ts": {Video: "h264", Width: 322, Height: 182, PixelFormat: "yuv422p10le", FPS: 30000.0 / 1001,
			Codecs: "avc1.7a000d"},
		"hevc.ts": {Video: "hevc", Audio: "ac3", Width: 320, Height: 180, Codecs: "hvc1.1.6.L60.90,ac-3"},
		"h264.mp4": {Format: core.FormatMP4, Video: "h264", Audio: "aac", Width: 320, Height: 180, PixelFormat: "yuv420p",
			FPS: 25, Codecs: "avc1.42c00c,mp4a.40.2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := verify.SniffSegment(read(t, name))
			if got.Parameters == "" {
				t.Error("no parameters found")
			}
			if math.Abs(got.FPS-want.FPS) > 0.001 {
				t.Errorf("fps %v, want %v", got.FPS, want.FPS)
			}
			got.Parameters, want.Known = "", true
			got.FPS = want.FPS
			if got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestNoFrames(t *testing.T) {
	t.Parallel()
	b := read(t, "h264.ts")
	// The tables come first; the frame's packets follow. Three packets hold
	// service description, association and map.
	i := verify.SniffSegment(b[:3*188])
	if !i.NoFrames || i.Video != "h264" {
		t.Errorf("tables alone: %+v", i)
	}
	whole := verify.SniffSegment(b)
	if whole.NoFrames {
		t.Error("frames not seen")
	}
	whole.NoFrames = true
	if !whole.Same(verify.SniffSegment(b)) {
		t.Error("a missing frame alone is no change of source")
	}
	if whole.Same(verify.SniffSegment(read(t, "odd422.ts"))) {
		t.Error("another source is taken for the same")
	}
}

// sized is an MP4 box.
func sized(kind string, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(8+len(body))), kind...), body...)
}

// unsampled is the file's movie box with tables that count no samples.
func unsampled(t *testing.T, file []byte) []byte {
	t.Helper()
	moov := bytes.Clone(verify.ChildBox(file, "moov"))
	for at := 0; ; {
		i := bytes.Index(moov[at:], []byte("stsz"))
		if i < 0 {
			return sized("moov", moov)
		}
		at += i + 4
		binary.BigEndian.PutUint32(moov[at+8:], 0)
	}
}

// TestNotMissing: only what was looked through to its end is without frames.
func TestNotMissing(t *testing.T) {
	t.Parallel()
	ts, file := read(t, "h264.ts"), read(t, "h264.mp4")
	const tables = 3 * verify.PacketSize
	initialization := append(sized("ftyp", []byte("iso5\x00\x00\x00\x00")), unsampled(t, file)...)
	for name, row := range map[string]struct {
		data []byte
		want verify.SniffedInfo
	}{
		"tables at the end":    {append(bytes.Clone(ts[tables:]), ts[:tables]...), verify.SniffedInfo{}},
		"video not in its map": {append(bytes.Clone(ts[:tables]), onPID(ts[tables:], 0x100, 0x1f0)...), verify.SniffedInfo{}},
		"fragments":            {slices.Concat(initialization, sized("moof"), sized("mdat")), verify.SniffedInfo{}},
		"fragments alone": {slices.Concat(sized("moof", make([]byte, 8)), sized("mdat")),
			verify.SniffedInfo{Broken: "MP4 fragments without their initialization segment (moov box)"}},
		"no index": {slices.Concat(sized("ftyp", make([]byte, 8)), sized("mdat")),
			verify.SniffedInfo{Broken: "an MP4 file without its index (moov box)"}},
		"initialization segment": {initialization, verify.SniffedInfo{NoVideo: "an initialization segment without samples",
			Empty: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := verify.SniffSegment(row.data)
			got := verify.SniffedInfo{NoFrames: i.NoFrames, NoVideo: i.NoVideo, Broken: i.Broken, Empty: i.Empty}
			if !i.Known || got != row.want {
				t.Errorf("%+v", i)
			}
		})
	}
}

// TestOtherCodecs: video of a codec that jobs cannot name is named, so that it is refused before it is sent; an
// entry that is not known says nothing.
func TestOtherCodecs(t *testing.T) {
	t.Parallel()
	file := read(t, "h264.mp4")
	for entry, want := range map[string]string{"avc1": "h264", "jpeg": "mjpeg", "apcn": "prores", "zzzz": ""} {
		other := bytes.Replace(file, []byte("avc1\x00"), []byte(entry+"\x00"), 1)
		if i := verify.SniffSegment(other); i.Video != want || i.Audio != "aac" {
			t.Errorf("%s is %q with %q, want %q", entry, i.Video, i.Audio, want)
		}
	}
}

// onPID moves packets from one identifier to another.
func onPID(data []byte, from, to uint16) []byte {
	out := bytes.Clone(data)
	verify.EachPacket(out, func(p []byte) bool {
		if head := binary.BigEndian.Uint16(p[1:]); head&0x1fff == from {
			binary.BigEndian.PutUint16(p[1:], head&^0x1fff|to)
		}
		return true
	})
	return out
}

// TestMatroska: the codecs are named, and the container stays unknown.
func TestMatroska(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]verify.SniffedInfo{
		"vp9vorbis.webm": {Video: "vp9", Audio: "vorbis", Width: 64, Height: 64},
		"vp8opus.webm":   {Video: "vp8", Audio: "opus", Width: 64, Height: 64},
	} {
		b, err := os.ReadFile(filepath.Join("../../../transcoder/libav/testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if got := verify.SniffSegment(b); got != want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestUnknown(t *testing.T) {
	t.Parallel()
	for _, b := range [][]byte{nil, {0x47}, []byte("not media at all"), make([]byte, 1000)} {
		if got := verify.SniffSegment(b); got != (verify.SniffedInfo{}) {
			t.Errorf("%.16q: %+v", b, got)
		}
	}
}

func FuzzSegment(f *testing.F) {
	for _, name := range []string{"h264.ts", "odd422.ts", "hevc.ts", "h264.mp4"} {
		b := read(f, name)
		f.Add(b[:min(len(b), 4096)])
	}
	if b, err := os.ReadFile("../../../transcoder/libav/testdata/vp9vorbis.webm"); err == nil {
		f.Add(b[:min(len(b), 1024)])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		i := verify.SniffSegment(b)
		if i.Width < 0 || i.Height < 0 || i.Width > 1<<17 || i.Height > 1<<17 || len(i.Parameters) > 256 {
			t.Errorf("implausible: %+v", i)
		}
		if i.NoFrames && (i.Format != core.FormatMPEGTS || i.Video == "" || i.Audio == "") {
			t.Errorf("passed on without being decoded: %+v", i)
		}
		named := verify.SniffedInfo{Video: i.Video, Audio: i.Audio, Width: i.Width, Height: i.Height}
		if !i.Known && i != named {
			t.Errorf("unknown and yet: %+v", i)
		}
		if !i.Same(verify.SniffSegment(b)) {
			t.Error("not the same as itself")
		}
	})
}

func BenchmarkSegment(b *testing.B) {
	data := read(b, "hd.ts")
	b.ReportAllocs()
	for b.Loop() {
		verify.SniffSegment(data)
	}
}
