package verify

// start decides which frames at the beginning of an H.264 stream a decoder shows. It may begin in the middle: at a
// frame from which on all is right, after some
// that are not, and before others that stand earlier in the order of presentation
// and refer to what is not there. The zero value has seen nothing.
type start struct {
	// announced: a message said that all is right so many frames after the next
	// frame. target is that frame's number, if there is one.
	announced bool
	frames    uint
	aimed     bool
	target    uint

	// begun: a frame came from which on all is right; first is the one, leading says
	// that later ones may still stand before it.
	begun, leading bool
	first          AVCSlice
	// held are the last frames before it, which may stand after it.
	held []heldFrame
}

type heldFrame struct {
	slice AVCSlice
	show  func()
}

// maxHeld is as many frames as a decoder holds back at most.
const maxHeld = 16

func (t *start) announce(frames uint) { t.announced, t.frames = true, frames }

// frame calls show when a decoder shows the frame, now or later.
func (t *start) frame(s *AVCSlice, show func()) {
	t.aim(s)
	switch {
	case s.IDR:
		t.begun, t.leading, t.held = true, false, nil
	case !t.begun && !t.right(s):
		t.held = append(t.held[max(0, len(t.held)-maxHeld+1):], heldFrame{*s, show})
		return
	case !t.begun:
		t.begun, t.leading, t.first = true, true, *s
		for _, h := range t.held {
			if s.Before(&h.slice) {
				h.show()
			}
		}
		t.held = nil
	case t.leading && s.Before(&t.first):
		return
	case t.leading && s.Reference:
		t.leading = false
	}
	show()
}

// aim turns what was announced into a frame's number.
func (t *start) aim(s *AVCSlice) {
	if !t.announced {
		return
	}
	t.announced = false
	mask := uint(1)<<s.FrameNumBits - 1
	if !t.aimed || (t.target-s.FrameNum)&mask > t.frames {
		t.aimed, t.target = true, (s.FrameNum+t.frames)&mask
	}
}

// right reports whether everything from this frame on is right.
func (t *start) right(s *AVCSlice) bool {
	return t.aimed && s.Reference && s.FrameNum == t.target
}
