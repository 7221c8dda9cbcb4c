package verify

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/tuttinode/tutti/core"
)

// entries of a sample description, by codec. Read-only.
var (
	videoEntries = map[string]string{
		"avc1": "h264", "avc3": "h264", "hvc1": "hevc", "hev1": "hevc", "vp08": "vp8", "vp09": "vp9", "av01": "av1",
		"mp4v": "mpeg4",
	}
	// otherEntries are entries of video that the network's jobs cannot name. A cover picture is one, too.
	otherEntries = map[string]string{
		"jpeg": "mjpeg", "mjpa": "mjpeg", "mjpb": "mjpegb", "png ": "png", "raw ": "rawvideo", "dvc ": "dvvideo",
		"s263": "h263", "h263": "h263", "SVQ3": "svq3", "DIVX": "mpeg4", "XVID": "mpeg4", "vc-1": "vc1",
		"apch": "prores", "apcn": "prores", "apcs": "prores", "apco": "prores", "ap4h": "prores", "ap4x": "prores",
		"vvc1": "vvc", "vvi1": "vvc", "mp2v": "mpeg2video", "m2v1": "mpeg2video",
	}
	audioEntries = map[string]string{
		"mp4a": "aac", "ac-3": "ac3", "ec-3": "eac3", "Opus": "opus", "fLaC": "flac", ".mp3": "mp3", "alac": "alac",
		"dtsc": "dts", "dtsh": "dts", "dtsl": "dts", "dtse": "dts", "mlpa": "truehd",
	}
)

// movieReader reads a movie box.
type movieReader struct {
	info       SniffedInfo
	videoCodec string
	// other is video of a codec that jobs cannot name.
	other string
	// frames: there is a video track. videoSamples: it has samples. samples: some track
	// has samples. A table that is missing counts as one with samples.
	frames, videoSamples, samples bool
}

func movie(data []byte) SniffedInfo {
	r := movieReader{info: SniffedInfo{Known: true, Format: core.FormatMP4}}
	moov := ChildBox(data, "moov")
	fragments := ChildBox(data, "moof") != nil
	if moov == nil {
		r.info.Broken = "an MP4 file without its index (moov box)"
		if fragments {
			r.info.Broken = "MP4 fragments without their initialization segment (moov box)"
		}
		return r.info
	}
	EachBox(moov, func(kind string, body []byte, _ int) {
		if kind == "trak" {
			r.track(body)
		}
	})
	i := &r.info
	i.Video = cmp.Or(i.Video, r.other)
	i.Codecs = codecs(r.videoCodec, audioCodec(i.Audio, nil), i.Video != "", i.Audio != "")
	switch {
	case !r.frames:
		i.NoVideo, i.Empty = "no video track", i.Audio == ""
	case fragments || r.videoSamples:
	case r.samples:
		i.NoVideo = "the video track has no samples"
	default:
		i.NoVideo, i.Empty = "an initialization segment without samples", true
	}
	return *i
}

func (r *movieReader) track(body []byte) {
	table := BoxPath(body, "mdia", "minf", "stbl")
	sampled := !noSamples(ChildBox(table, "stsz"))
	r.samples = r.samples || sampled
	if handler(BoxPath(body, "mdia", "hdlr")) == "vide" {
		r.frames, r.videoSamples = true, r.videoSamples || sampled
	}
	stsd := ChildBox(table, "stsd")
	if len(stsd) < 16 {
		return
	}
	i, entry, name := &r.info, stsd[8:], stsd[12:16]
	if v, ok := videoEntries[string(name)]; ok && i.Video == "" {
		r.frames, r.videoSamples = true, r.videoSamples || sampled
		i.Video = v
		r.videoCodec = visualEntry(entry, v, i)
	}
	r.other = cmp.Or(r.other, otherEntries[string(name)])
	if a, ok := audioEntries[string(name)]; ok && i.Audio == "" {
		i.Audio = a
	}
}

// handler returns the kind of a track's media.
func handler(hdlr []byte) string {
	if len(hdlr) < 12 {
		return ""
	}
	return string(hdlr[8:12])
}

// visualEntry reads a video sample entry, its size and type included.
func visualEntry(entry []byte, codec string, i *SniffedInfo) string {
	const header = 86
	if len(entry) < header {
		return ""
	}
	i.Width, i.Height = int(binary.BigEndian.Uint16(entry[32:])), int(binary.BigEndian.Uint16(entry[34:]))
	size := int(min(uint64(binary.BigEndian.Uint32(entry)), uint64(len(entry))))
	boxes := entry[header:max(header, size)]
	switch codec {
	case "h264":
		avcC := ChildBox(boxes, "avcC")
		if len(avcC) < 8 {
			return ""
		}
		n := int(binary.BigEndian.Uint16(avcC[6:]))
		if avcC[5]&0x1f == 0 || 8+n > len(avcC) {
			return fmt.Sprintf("avc1.%02x%02x%02x", avcC[1], avcC[2], avcC[3])
		}
		return h264Parameters(string(avcC[8:8+min(n, maxParameters)]), i)
	case "hevc":
		hvcC := ChildBox(boxes, "hvcC")
		i.Parameters = string(hvcC[:min(len(hvcC), maxParameters)])
		if len(hvcC) > hevcGeneralBytes {
			return hevcCodec(string(entry[4:8]), [hevcGeneralBytes]byte(hvcC[1:]))
		}
	}
	return ""
}

// noSamples reports whether a sample size box has a count of 0. A fragmented file has that
// too: its samples are in the fragments.
func noSamples(stsz []byte) bool {
	return len(stsz) >= 12 && binary.BigEndian.Uint32(stsz[8:]) == 0
}
