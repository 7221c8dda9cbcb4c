package e2e

import (
	"bytes"
	wire "encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Parts of recipes for clips: 2 s of a frame, a tone, and H.264.
const (
	clipPicture = "-f lavfi -i testsrc2=size=320x180:rate=30:duration=2 "
	clipTone    = "-f lavfi -i sine=duration=2:sample_rate=48000 "
	clipH264    = "-c:v libx264 -preset ultrafast -g 30 -pix_fmt yuv420p -b:v 300k "
	clipAAC     = "-c:a aac -b:a 64k "
	clipAtOnce  = "-muxdelay 0 -muxpreload 0 "
	clipInParts = "-movflags cmaf+frag_keyframe+empty_moov+default_base_moof "
)

// ffmpegClip makes a file with the ffmpeg program that the node's libav was built with.
func ffmpegClip(t testing.TB, recipe, ext string) []byte {
	t.Helper()
	prefix := os.Getenv("TUTTI_DEPS")
	if prefix == "" {
		t.Fatal("TUTTI_DEPS is not set: run the tests through make, or eval \"$(make -s env)\" first")
	}
	out := filepath.Join(t.TempDir(), "clip."+ext)
	args := append([]string{"-nostdin", "-v", "error", "-threads", "1"}, strings.Fields(recipe)...)
	if text, err := exec.Command(filepath.Join(prefix, "bin", "ffmpeg"),
		append(args, out)...).CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg %s: %v: %s", recipe, err, text)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Identifiers in the transport streams that FFmpeg writes.
const (
	tsPacket = 188
	patPID   = 0
	mapPID   = 0x1000
	videoPID = 0x100
	audioPID = 0x101
)

// tsPackets are the packets of a transport stream whose identifier is wanted.
func tsPackets(data []byte, wanted func(pid int) bool) (out [][]byte) {
	for ; len(data) >= tsPacket; data = data[tsPacket:] {
		if wanted(int(data[1]&0x1f)<<8 | int(data[2])) {
			out = append(out, data[:tsPacket:tsPacket])
		}
	}
	return out
}

// tablesLast moves one association and one program map behind the media, where no
// other is left.
func tablesLast(data []byte) []byte {
	media := tsPackets(data, func(pid int) bool { return pid == videoPID || pid == audioPID })
	association := tsPackets(data, func(pid int) bool { return pid == patPID })
	programMap := tsPackets(data, func(pid int) bool { return pid == mapPID })
	return bytes.Join(append(media, association[0], programMap[0]), nil)
}

// without leaves out the packets of one identifier.
func without(data []byte, pid int) []byte {
	return bytes.Join(tsPackets(data, func(p int) bool { return p != pid }), nil)
}

// relabeled gives the stream that is not video another type and descriptors in every
// program map, and the program a descriptor.
func relabeled(data []byte, kind byte, descriptors, program string) []byte {
	packets := tsPackets(data, func(int) bool { return true })
	for i, p := range packets {
		if int(p[1]&0x1f)<<8|int(p[2]) != mapPID {
			continue
		}
		section := p[5:]
		length := 3 + int(wire.BigEndian.Uint16(section[1:])&0xfff) - 4
		out := append([]byte{}, section[:10]...)
		out = append(append(out, 0xf0, byte(len(program))), program...)
		for at := 12 + int(section[11]); at < length; {
			size := 5 + int(section[at+4])
			entry := section[at : at+size]
			if entry[0] != 0x1b {
				entry = append([]byte{kind, entry[1], entry[2], 0xf0, byte(len(descriptors))}, descriptors...)
			}
			out, at = append(out, entry...), at+size
		}
		wire.BigEndian.PutUint16(out[1:], 0xb000|uint16(len(out)+4-3))
		out = wire.BigEndian.AppendUint32(out, checksum(out))
		packet := append(append([]byte{}, p[:5]...), out...)
		packets[i] = append(packet, bytes.Repeat([]byte{0xff}, tsPacket-len(packet))...)
	}
	return bytes.Join(packets, nil)
}

// checksum is the CRC of table sections.
func checksum(b []byte) uint32 {
	sum := uint32(0xffffffff)
	for _, c := range b {
		sum ^= uint32(c) << 24
		for range 8 {
			carry := sum >> 31
			sum = sum<<1 ^ carry*0x04c11db7
		}
	}
	return sum
}

// box is one box of an MP4 file: its kind, and all its bytes.
type box struct {
	kind string
	data []byte
}

func boxes(data []byte) (out []box) {
	for len(data) >= 8 {
		size := int(wire.BigEndian.Uint32(data))
		if size < 8 || size > len(data) {
			return out
		}
		out = append(out, box{string(data[4:8]), data[:size:size]})
		data = data[size:]
	}
	return out
}

// cmaf splits a fragmented file into its initialization segment and its fragments.
func cmaf(data []byte) (initialization []byte, fragments [][]byte) {
	for _, b := range boxes(data) {
		switch b.kind {
		case "ftyp", "moov":
			initialization = append(initialization, b.data...)
		case "moof":
			fragments = append(fragments, b.data)
		case "mdat":
			last := &fragments[len(fragments)-1]
			*last = append(*last, b.data...)
		}
	}
	return initialization, fragments
}

// delayed moves the decoding times of a fragment's tracks, whose clocks have the given
// ticks per second, by an hour.
func delayed(fragment []byte, clocks map[uint32]uint64) []byte {
	out := bytes.Clone(fragment)
	for _, moof := range boxes(out) {
		if moof.kind != "moof" {
			continue
		}
		for _, traf := range boxes(moof.data[8:]) {
			if traf.kind != "traf" {
				continue
			}
			var clock uint64
			for _, b := range boxes(traf.data[8:]) {
				switch {
				case b.kind == "tfhd":
					clock = clocks[wire.BigEndian.Uint32(b.data[12:])]
				case b.kind == "tfdt" && b.data[8] == 1:
					at := b.data[12:]
					wire.BigEndian.PutUint64(at, wire.BigEndian.Uint64(at)+3600*clock)
				}
			}
		}
	}
	return out
}
