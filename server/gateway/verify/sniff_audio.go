package verify

import (
	"bytes"
	"fmt"
)

// Names of sound in a program map, which are libav's names of codecs. Read-only.
var (
	audioTypes = map[byte]string{
		0x03: "mp2", 0x04: "mp2", 0x0f: "aac", 0x11: "aac_latm", 0x81: "ac3", 0x87: "eac3", 0x8a: "dts",
	}
	// discTypes are stream types of programs in the form of Blu-ray discs. Read-only.
	discTypes = map[byte]string{
		0x80: "pcm_bluray", 0x81: "ac3", 0x82: "dts", 0x83: "truehd", 0x84: "eac3", 0x85: "dts", 0x86: "dts",
		0xa1: "eac3", 0xa2: "dts",
	}
	// audioFormats are registered format identifiers of private types, audioTags the
	// descriptors that DVB has in their place. Read-only.
	audioFormats = map[string]string{
		"AC-3": "ac3", "EAC3": "eac3", "Opus": "opus", "BSSD": "s302m",
		"DTS1": "dts", "DTS2": "dts", "DTS3": "dts", "mlpa": "truehd",
	}
	audioTags = []struct {
		tag   byte
		codec string
	}{{0x6a, "ac3"}, {0x7a, "eac3"}, {0x7b, "dts"}, {0x7c, "aac"}}
)

const (
	privateType = 0x06
	// userDTS is the private type that FFmpeg writes DTS with; others use it for
	// subtitles, so that only its first bytes decide.
	userDTS    = 0x82
	discFormat = "HDMV"
)

// audioName returns the codec of a program's stream, "" when it is no sound that is known.
func audioName(s VideoStream, program string) string {
	if program == discFormat && discTypes[s.Type] != "" {
		return discTypes[s.Type]
	}
	if name := audioTypes[s.Type]; name != "" {
		return name
	}
	if name := audioFormats[s.Format]; name != "" {
		return name
	}
	if s.Type == userDTS {
		return "dts"
	}
	if s.Type != privateType {
		return ""
	}
	for _, t := range audioTags {
		if descriptor(s.Descriptors, t.tag) != nil {
			return t.codec
		}
	}
	return ""
}

// mpegLayers are MPEG audio's layers by the two bits of a frame's header. Read-only.
var mpegLayers = [4]string{"", "mp3", "mp2", "mp1"}

// syncDTS begins a frame of DTS.
const syncDTS = "\x7f\xfe\x80\x01"

// audioOf returns the codec that a stream's first bytes show, where the program map leaves
// that open.
func audioOf(codec string, kind byte, frame []byte) string {
	switch {
	case kind == userDTS && !bytes.HasPrefix(frame, []byte(syncDTS)):
		return ""
	case codec != "mp2":
		return codec
	}
	for ; len(frame) >= 2; frame = frame[1:] {
		if frame[0] == 0xff && frame[1]&0xe0 == 0xe0 && mpegLayers[frame[1]>>1&3] != "" {
			return mpegLayers[frame[1]>>1&3]
		}
	}
	return codec
}

// audioCodecs is how playlists write audio. Read-only.
var audioCodecs = map[string]string{
	"aac": "mp4a.40.2", "aac_latm": "mp4a.40.2", "mp1": "mp4a.40.32", "mp2": "mp4a.40.33", "mp3": "mp4a.40.34",
	"ac3": "ac-3", "eac3": "ec-3", "opus": "opus", "flac": "fLaC",
}

// audioCodec returns the codec as playlists write it, "" when it has no such name. AAC that
// does not tell its kind is taken to be LC.
func audioCodec(codec string, frame []byte) string {
	const adts = 3
	if codec == "aac" && len(frame) >= adts && frame[0] == 0xff && frame[1]&0xf6 == 0xf0 {
		return fmt.Sprintf("mp4a.40.%d", frame[2]>>6+1)
	}
	return audioCodecs[codec]
}
