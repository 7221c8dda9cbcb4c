package core

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
