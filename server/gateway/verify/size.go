package verify

import (
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// sizeRange is what the network clamps a wanted size to, for every encoder.
type sizeRange struct{ core.PictureLimits }

// tolerance is by how many pixels a side may be off: implementations round a side
// that follows the source's shape up, down or to the nearest even number.
const tolerance = 2

// Size is a frame's size; the zero value is not known.
type Size struct{ Width, Height int }

// wanted returns the size that a rendition of a source must have. The larger side is the
// larger one asked for, the other follows the source's shape unless it would be too
// small for the encoder.
func (r sizeRange) wanted(source Size, p core.Profile) Size {
	large := r.large(p)
	if source.Width >= source.Height {
		small := large * source.Height / source.Width
		if small < r.MinHeight {
			return Size{r.MinHeight * source.Width / source.Height, r.MinHeight}
		}
		return Size{large, small}
	}
	small := large * source.Width / source.Height
	if small < r.MinWidth {
		return Size{r.MinWidth, r.MinWidth * source.Height / source.Width}
	}
	return Size{small, large}
}

func (r sizeRange) large(p core.Profile) int {
	return max(min(max(p.Width, r.MinWidth), r.MaxWidth), min(max(p.Height, r.MinHeight), r.MaxHeight))
}

// narrow reports whether a frame's shorter side is the shortest that there is, for
// which the longer one grows.
func (r sizeRange) narrow(v Video) bool {
	if v.Width >= v.Height {
		return v.Height <= r.MinHeight+tolerance
	}
	return v.Width <= r.MinWidth+tolerance
}

// near reports whether two sizes differ by rounding only.
func near(a, b Size) bool {
	off := func(x, y int) bool { return x-y > tolerance || y-x > tolerance }
	return !off(a.Width, b.Width) && !off(a.Height, b.Height)
}

// checkSize holds a rendition's size against what was asked for. With an unknown
// source only its larger side can be checked, and one that is larger than asked for must
// be as narrow as the encoder can make it. The error is the fault RenditionSize.
func checkSize(v Video, source Size, p core.Profile) error {
	limits, known := core.PictureLimitsOf(p.Encoder)
	r := sizeRange{limits}
	if !known || v.Frames == 0 {
		return nil
	}
	if source.Width <= 0 || source.Height <= 0 {
		if large := r.large(p); max(v.Width, v.Height) < large-tolerance {
			return wrongSize(v, fmt.Sprintf("at least %d on the larger side", large&^1))
		} else if max(v.Width, v.Height) > large+tolerance && !r.narrow(v) {
			return wrongSize(v, fmt.Sprintf("at most %d on the larger side", large&^1))
		}
		return nil
	}
	// Whether a mark of rotation in the source is obeyed is the transcoder's choice.
	got, want, turned := Size{v.Width, v.Height}, r.wanted(source, p), r.wanted(Size{source.Height, source.Width}, p)
	if !near(got, want) && !near(got, turned) {
		return wrongSize(v, fmt.Sprintf("%d×%d", want.Width&^1, want.Height&^1))
	}
	return nil
}

func wrongSize(v Video, want string) error {
	return fault.New(fault.RenditionSize, "check rendition",
		fmt.Sprintf("%d×%d where %s was asked for", v.Width, v.Height, want))
}
