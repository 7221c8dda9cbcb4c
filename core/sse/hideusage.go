package sse

// maxHeld bounds what HideUsage holds back of an event. Events with only usage
// are a few hundred bytes.
const maxHeld = 64 << 10

// HideUsage is a Filter that removes the events with usage and without a choice: servers send them
// only to clients that ask for usage. All other bytes pass unchanged. It scans what it filters. The
// zero value is ready.
//
// An event that might be one is held back until it is decided.
type HideUsage struct {
	// Scanner sees every byte, including hidden ones; its borders are those of the incoming stream,
	// not of the outgoing one.
	Scanner Scanner
	held    []byte
	// passing: the current event is not hidden, and part of it has passed.
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
		e := h.Scanner.record()
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
