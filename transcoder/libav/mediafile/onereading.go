package mediafile

import "bytes"

const (
	// id3Header is the length of an ID3v2 tag's header and of its footer, footer the flag of the latter.
	id3Header, footer = 10, 0x10
	// syncBits begin the second byte of a frame of MPEG audio or ADTS; the first has all bits.
	syncBits = 0xe0
	// mostStartCodes is how many start codes of MPEG program streams bare sound may have by chance:
	// readers need one more.
	mostStartCodes = 3
	// packetTS is the length of a packet of MPEG-TS in bytes, syncTS its first byte.
	packetTS, syncTS = 188, 0x47
)

// OneReading reports whether a file that this build opens as a container is that for other readers
// too. MP3, AAC with ADTS headers and MPEG-TS are found by their frames or packets, wherever in the
// file these begin. A library with more demuxers takes a file for what its beginning says, as CAF or
// AVI, or for a program stream where its packets are in the file: it would play other sound than
// was measured. So such a file has to be sound from its first byte, but for tags and zeros.
func OneReading(container string, data []byte) bool {
	switch container {
	case "mp3", "aac":
		sound := bytes.TrimLeft(withoutID3(data), "\x00")
		return len(sound) > 1 && sound[0] == 0xff && sound[1]&syncBits == syncBits &&
			programStartCodes(sound) <= mostStartCodes
	case "mpegts":
		return len(data) > packetTS && data[0] == syncTS && data[packetTS] == syncTS
	}
	return true
}

// withoutID3 returns a file without the ID3v2 tags at its beginning.
func withoutID3(data []byte) []byte {
	for len(data) >= id3Header && string(data[:3]) == "ID3" {
		size := id3Header
		if data[5]&footer != 0 {
			size += id3Header
		}
		for i, b := range data[6:id3Header] {
			size += int(b&0x7f) << (7 * (3 - i))
		}
		data = data[min(size, len(data)):]
	}
	return data
}

// programStartCodes counts the start codes of packs and packets, up to one more than allowed.
func programStartCodes(data []byte) (n int) {
	prefix := []byte{0, 0, 1}
	for n <= mostStartCodes {
		i := bytes.Index(data, prefix)
		if i < 0 || i+len(prefix) >= len(data) {
			return n
		}
		if code := data[i+len(prefix)]; code >= 0xba && code <= 0xef {
			n++
		}
		data = data[i+len(prefix):]
	}
	return n
}
