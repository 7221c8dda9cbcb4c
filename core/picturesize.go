package core

// PictureLimits are the sides in pixels that a codec's hardware encoders agree on. The
// network applies them to every encoder, software included, so that a profile
// gives the same output everywhere.
type PictureLimits struct{ MinWidth, MinHeight, MaxWidth, MaxHeight int }

// pictureLimits are the limits of each codec. Read-only.
var pictureLimits = map[VideoCodec]PictureLimits{
	CodecH264: {146, 50, 4096, 4096},
	CodecHEVC: {132, 40, 8192, 8192},
}

// PictureLimitsOf returns the limits of a codec's renditions, false for a codec without.
func PictureLimitsOf(c VideoCodec) (PictureLimits, bool) {
	l, ok := pictureLimits[c]
	return l, ok
}

const (
	// MaxPictureSide is the side in pixels that no encoder goes beyond. Only a source of
	// extreme shape gets there.
	MaxPictureSide = 16384
	// MaxPicturePixels bounds a decoded picture of a stream: 8K with space for odd shapes.
	MaxPicturePixels = 8192 * 4320
)
