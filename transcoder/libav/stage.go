package libav

import (
	"github.com/asticode/go-astiav"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/transcoder"
)

// A ladder's smaller renditions are scaled from its largest one instead of from
// the source, which costs half as much. They must be clearly smaller, and there
// is one step only: measured against scaling each from the source, that changes
// a rendition by ±0.1 dB, where two steps cost 0.25 dB.
const (
	stepNum = 4
	stepDen = 3
)

// stage scales each decoded frame once for all renditions that can use it.
type stage struct {
	scaler scaling
	// width and height are the size of the frames it makes.
	width, height int
	// srcW and srcH are the source's size that the plan below was made for.
	srcW, srcH int
	// users reports per rendition whether it takes the stage's frames; nil when none does.
	users []bool
}

// fit plans for frames of a size; open makes the scaler where one is needed.
func (s *stage) fit(info frameInfo, profiles []core.Profile, rate float64, open func(width, height int) scaling) {
	if s.srcW == info.width && s.srcH == info.height {
		return
	}
	s.close()
	s.users = nil
	s.srcW, s.srcH = info.width, info.height
	top, sizes := s.largest(info, profiles, rate)
	if top < 0 {
		return
	}
	users, n := make([]bool, len(profiles)), 0
	for i, size := range sizes {
		users[i] = size == sizes[top] ||
			size[0]*stepNum <= sizes[top][0]*stepDen && size[1]*stepNum <= sizes[top][1]*stepDen
		if users[i] {
			n++
		}
	}
	if n < 2 {
		return
	}
	s.users = users
	s.width, s.height = sizes[top][0], sizes[top][1]
	s.scaler = open(s.width, s.height)
}

// largest returns the largest rendition that is smaller than the source and shows
// every frame, and the sizes of all; -1 when there is none or a size is refused.
func (s *stage) largest(info frameInfo, profiles []core.Profile, rate float64) (int, [][2]int) {
	top, sizes := -1, make([][2]int, len(profiles))
	for i, p := range profiles {
		w, h, err := transcoder.OutputSize(info.width, info.height, p)
		if err != nil {
			return -1, nil // the rendition itself says why
		}
		sizes[i] = [2]int{w, h}
		whole := p.FPS.Passthrough()
		if !whole {
			num, den := p.FPS.Norm()
			whole = float64(num) >= rate*float64(den)
		}
		if whole && w < info.width && h < info.height && (top < 0 || w > sizes[top][0]) {
			top = i
		}
	}
	return top, sizes
}

// frame returns the frame that the stage scaled; the caller frees it.
func (s *stage) frame(src *astiav.Frame) (*astiav.Frame, error) {
	scaled, err := s.scaler.scale(src)
	if err != nil {
		return nil, err
	}
	own := scaled.Clone()
	if own == nil {
		return nil, failed(opDecode, errENOMEM)
	}
	return own, nil
}

func (s *stage) close() {
	if s.scaler != nil {
		s.scaler.close()
		s.scaler = nil
	}
}
