package core

import "slices"

// Audio is copied into renditions as it is, so a rendition's container decides which
// codecs a source may have. The names are libav's. Read-only.
var (
	tsAudio = map[string]bool{
		"aac": true, "aac_latm": true, "ac3": true, "eac3": true, "mp2": true, "mp3": true, "opus": true,
	}
	mp4Audio = map[string]bool{
		"aac": true, "ac3": true, "eac3": true, "mp2": true, "mp3": true, "opus": true,
		"alac": true, "dts": true, "flac": true, "vorbis": true,
		"pcm_s16le": true, "pcm_s16be": true, "pcm_s24le": true, "pcm_s24be": true,
		"pcm_s32le": true, "pcm_s32be": true,
		"pcm_f32le": true, "pcm_f32be": true, "pcm_f64le": true, "pcm_f64be": true,
	}
)

// CarriesAudio reports whether a file of the format can hold sound of the codec such
// that players recognize it. A muxer may accept more, and write it as private data.
func (f Format) CarriesAudio(codec string) bool {
	if f == FormatMP4 {
		return mp4Audio[codec]
	}
	return tsAudio[codec]
}

// String returns the container's usual name.
func (f Format) String() string {
	if f == FormatMP4 {
		return "MP4"
	}
	return "MPEG-TS"
}

// SoundFormat is a file format that sound is converted to.
type SoundFormat int

// The formats. SoundPCM is raw: 16 bits, little endian, mono, 24 kHz.
const (
	SoundWAV SoundFormat = iota
	SoundMP3
	SoundOpus
	SoundAAC
	SoundFLAC
	SoundPCM
)

// soundFormats are their names, and their media types. Read-only.
var soundFormats = [...]struct{ name, mediaType string }{
	SoundWAV: {"wav", "audio/wav"}, SoundMP3: {"mp3", "audio/mpeg"}, SoundOpus: {"opus", "audio/ogg"},
	SoundAAC: {"aac", "audio/aac"}, SoundFLAC: {"flac", "audio/flac"}, SoundPCM: {"pcm", "audio/pcm"},
}

// SoundFormats lists the formats' names.
func SoundFormats() (names []string) {
	for _, f := range soundFormats {
		names = append(names, f.name)
	}
	return names
}

// ParseSoundFormat finds a format by its name.
func ParseSoundFormat(name string) (SoundFormat, bool) {
	i := slices.Index(SoundFormats(), name)
	return SoundFormat(max(i, 0)), i >= 0
}

// Valid reports whether it is one of the formats.
func (f SoundFormat) Valid() bool { return f >= 0 && int(f) < len(soundFormats) }

// String returns the format's name.
func (f SoundFormat) String() string { return soundFormats[f].name }

// MediaType returns the media type of such files.
func (f SoundFormat) MediaType() string { return soundFormats[f].mediaType }
