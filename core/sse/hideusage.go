package sse

// maxHeld bounds what HideUsage holds back of an event. Events with only usage
// are a few hundred bytes.
const maxHeld = 64 << 10

// HideUsage is a Filter that takes the events out that carry usage and no
// choice: the ones that servers send only to those who ask for usage. All other
// bytes pass as they are. It scans what it filters. The zero value is ready.
//
// An event that might be such a one is held back until it shows what it is.
type HideUsage struct {
	// Scanner has seen every byte, the hidden ones too; only its borders are those
	// of the stream that came, not of the one that goes.
	Scanner Scanner
	held    []byte
	// passing: the present event is none to hide, and part of it has gone.
	passing bool
}

// Feed appends to dst what may pass after p.
func (h *HideUsage) Feed(dst, p []byte) []byte {
	for len(p) > 0 {
		n, ended := h.Scanner.parser.next(p)
		part := p[:n]
		p = p[n:]
		e := h.Scanner.advance(n, ended)
		switch {
		case ended && !h.passing && usageOnly(&e):
			h.held = h.held[:0]
		case ended, h.passing, !h.undecided(n):
			dst = append(append(dst, h.held...), part...)
			h.held = h.held[:0]
			h.passing = !ended
		default:
			h.held = append(h.held, part...)
		}
	}
	return dst
}

// End appends what was held back.
func (h *HideUsage) End(dst []byte, _ bool) []byte {
	h.Scanner.parser.end()
	hide := false
	if h.Scanner.parser.data || h.Scanner.parser.failed {
		e := h.Scanner.book()
		hide = usageOnly(&e)
	}
	if !hide {
		dst = append(dst, h.held...)
	}
	h.held, h.passing = nil, false
	return dst
}

// undecided reports whether the present event may yet turn out to be one to
// hide; n more bytes of it would be held.
func (h *HideUsage) undecided(n int) bool {
	w := &h.Scanner.parser.json
	return w.choices == 0 && !w.failed && !w.bad && len(h.held)+n <= maxHeld
}

func usageOnly(e *event) bool {
	return e.data && e.hasUsage && e.choices == 0 && !e.failed
}
