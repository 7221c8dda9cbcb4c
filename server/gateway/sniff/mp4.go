package sniff

import (
	"encoding/binary"
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/gateway/verify/container"
)

// entries of a sample description, by codec.
var (
	videoEntries = map[string]string{
		"avc1": "h264", "avc3": "h264", "hvc1": "hevc", "hev1": "hevc", "vp08": "vp8", "vp09": "vp9", "av01": "av1", "mp4v": "mpeg4",
	}
	audioEntries = map[string]string{"mp4a": "aac", "ac-3": "ac3", "ec-3": "eac3", "Opus": "opus", "fLaC": "flac", ".mp3": "mp3"}
)

func movie(data []byte) Info {
	i := Info{Known: true, Format: core.FormatMP4}
	moov := container.Child(data, "moov")
	var videoCodec string
	container.Each(moov, func(kind string, body []byte, _ int) {
		if kind != "trak" {
			return
		}
		table := container.Path(body, "mdia", "minf", "stbl")
		stsd := container.Child(table, "stsd")
		if len(stsd) < 16 {
			return
		}
		entry, name := stsd[8:], stsd[12:16]
		if v, ok := videoEntries[string(name)]; ok && i.Video == "" {
			i.Video = v
			videoCodec = visualEntry(entry, v, &i)
			i.NoFrames = noSamples(container.Child(table, "stsz"))
		}
		if a, ok := audioEntries[string(name)]; ok && i.Audio == "" {
			i.Audio = a
		}
	})
	i.Codecs = codecs(videoCodec, audioCodecs[i.Audio], i.Video != "", i.Audio != "")
	return i
}

// visualEntry reads a video sample entry, its size and type included.
func visualEntry(entry []byte, codec string, i *Info) string {
	const header = 86
	if len(entry) < header {
		return ""
	}
	i.Width, i.Height = int(binary.BigEndian.Uint16(entry[32:])), int(binary.BigEndian.Uint16(entry[34:]))
	size := int(min(uint64(binary.BigEndian.Uint32(entry)), uint64(len(entry))))
	boxes := entry[header:max(header, size)]
	switch codec {
	case "h264":
		avcC := container.Child(boxes, "avcC")
		if len(avcC) < 8 {
			return ""
		}
		n := int(binary.BigEndian.Uint16(avcC[6:]))
		if avcC[5]&0x1f == 0 || 8+n > len(avcC) {
			return fmt.Sprintf("avc1.%02x%02x%02x", avcC[1], avcC[2], avcC[3])
		}
		return h264Parameters(string(avcC[8:8+min(n, maxParameters)]), i)
	case "hevc":
		hvcC := container.Child(boxes, "hvcC")
		i.Parameters = string(hvcC[:min(len(hvcC), maxParameters)])
	}
	return ""
}

// noSamples reports whether a sample size box counts no samples. Fragmented
// files do that too, and keep their samples elsewhere; those are not pushed.
func noSamples(stsz []byte) bool {
	return len(stsz) >= 12 && binary.BigEndian.Uint32(stsz[8:]) == 0
}
