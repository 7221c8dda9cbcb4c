package transcoder

import (
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// OutputSize returns the size of a rendition in pixels. The source's shape always
// wins: the profile only fixes the larger side, a portrait source swaps the roles
// of width and height, nothing is cropped or padded, and both sides are even.
//
// A source without a size or of a shape that cannot be encoded, and a codec
// without limits, are faults.
func OutputSize(srcWidth, srcHeight int, p core.Profile) (width, height int, err error) {
	limits, ok := core.PictureLimitsOf(p.Encoder)
	if !ok {
		return 0, 0, fault.New(fault.EncoderNotFound, "size rendition", fmt.Sprintf("no size limits for codec %d", p.Encoder))
	}
	if srcWidth <= 0 || srcHeight <= 0 {
		return 0, 0, fault.New(fault.InvalidData, "size rendition", fmt.Sprintf("source is %dx%d", srcWidth, srcHeight))
	}
	side := max(
		min(max(p.Width, limits.MinWidth), limits.MaxWidth),
		min(max(p.Height, limits.MinHeight), limits.MaxHeight),
	) &^ 1
	if srcWidth >= srcHeight {
		width, height = follow(side, srcWidth, srcHeight, limits.MinHeight)
	} else {
		height, width = follow(side, srcHeight, srcWidth, limits.MinWidth)
	}
	if width > core.MaxPictureSide || height > core.MaxPictureSide {
		return 0, 0, fault.New(fault.InvalidArgument, "size rendition",
			fmt.Sprintf("a %dx%d source would give %dx%d", srcWidth, srcHeight, width, height))
	}
	return width, height, nil
}

// follow fixes the larger side of the source at side and lets the smaller one
// follow its shape, unless that would fall below least.
func follow(side, srcLarge, srcSmall, least int) (large, small int) {
	if small = proportional(side, srcSmall, srcLarge); small >= least {
		return side, small
	}
	return proportional(least, srcLarge, srcSmall), least
}

// proportional returns the even number nearest to n × num / den.
func proportional(n, num, den int) int {
	return (n*num + den) / (2 * den) * 2
}
