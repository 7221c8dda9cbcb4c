package sse

import "bytes"

// event is the content of one event, or of a block of comments.
type event struct {
	eventSummary
	// data: it has a data line; without one it is comments only.
	data bool
	// done: its data is [DONE].
	done bool
	// broken: its data is neither that nor one JSON object, and not empty.
	broken bool
	// blank: its data is empty, as some servers keep a connection alive.
	blank bool
}

// line is where in a line a parser is.
type line uint8

const (
	lineStart line = iota
	lineName
	// lineSpace is before the one space that may follow the colon.
	lineSpace
	// lineData is in the value of a data line.
	lineData
	// lineOther is in a comment or in a field that means nothing here.
	lineOther
)

const (
	byteOrderMark = "\xEF\xBB\xBF"
	doneWord      = "[DONE]"
	// window bounds a search for one kind of line end before the other is tried.
	window = 1 << 10
)

// parser finds the borders of events, in whatever pieces the stream comes.
type parser struct {
	line line
	// cr: the last byte was a carriage return; a line feed after it is the same
	// line's end.
	cr bool
	// later: some line has ended, so that no byte order mark can come.
	later bool
	// name is the line's field name so far, as much as matters.
	name  [8]byte
	nameN int

	data   bool
	failed bool
	// done counts the bytes of [DONE] that the data was so far, -1 for other data.
	done int
	json walker

	repeat repeat
	// again: the event that has passed had the form of an earlier one.
	again bool
}

// clean reports whether nothing of a next event has come.
func (p *parser) clean() bool { return p.line == lineStart && !p.data && !p.failed && !p.cr }

// next takes bytes up to and including the end of an event, and reports how
// many, and whether an event ended. A line that ends in a carriage return ends
// once the byte after it is known.
func (p *parser) next(b []byte) (int, bool) {
	if !p.clean() {
		return p.read(b)
	}
	if n := p.repeat.match(b); n > 0 {
		p.again, p.later = true, true
		return n, true
	}
	n, ended := p.read(b)
	if ended && p.data && !p.failed && p.done < 0 && p.json.complete() && p.json.repeatable() {
		p.repeat.learn(b[:n])
	}
	return n, ended
}

// read is next without memory.
func (p *parser) read(b []byte) (int, bool) {
	for i := 0; i < len(b); {
		if p.cr {
			p.cr = false
			if b[i] == '\n' {
				i++
			}
			if p.endLine() {
				return i, true
			}
			continue
		}
		end := lineEnd(b[i:])
		if end != 0 {
			stop := len(b)
			if end > 0 {
				stop = i + end
			}
			p.text(b[i:stop])
			i = stop
			continue
		}
		p.cr = b[i] == '\r'
		i++
		if !p.cr && p.endLine() {
			return i, true
		}
	}
	return len(b), false
}

// lineEnd returns the place of the first line end, -1 without one.
func lineEnd(b []byte) int {
	for at := 0; at < len(b); at += window {
		w := b[at:min(at+window, len(b))]
		lf := bytes.IndexByte(w, '\n')
		if lf >= 0 {
			w = w[:lf]
		}
		if cr := bytes.IndexByte(w, '\r'); cr >= 0 {
			return at + cr
		}
		if lf >= 0 {
			return at + lf
		}
	}
	return -1
}

// text takes a part of a line, without its end.
func (p *parser) text(b []byte) {
	if p.line == lineStart && len(b) > 5 && string(b[:5]) == "data:" {
		p.line = lineSpace
		p.beginData()
		b = b[5:]
	}
	for i := 0; i < len(b); {
		switch p.line {
		case lineStart:
			p.line, p.nameN = lineName, 0
		case lineName:
			p.nameByte(b[i])
			i++
		case lineSpace:
			p.line = lineData
			if b[i] == ' ' {
				i++
			}
		case lineData:
			p.payload(b[i:])
			return
		case lineOther:
			return
		}
	}
}

func (p *parser) nameByte(c byte) {
	if c == ':' {
		p.named()
		return
	}
	if p.nameN == len(p.name) {
		p.line = lineOther
		return
	}
	p.name[p.nameN] = c
	p.nameN++
}

// named begins the value of the field that was read.
func (p *parser) named() {
	name := p.name[:p.nameN]
	if !p.later {
		name = bytes.TrimPrefix(name, []byte(byteOrderMark))
	}
	p.line = lineOther
	switch string(name) {
	case "data":
		p.line = lineSpace
		p.beginData()
	case "error":
		// Old llama.cpp servers put their errors into a field of this name.
		p.failed = true
	}
}

// beginData starts a data line; lines of one event are joined by line feeds.
func (p *parser) beginData() {
	if p.data {
		p.payload([]byte{'\n'})
	}
	p.data = true
}

func (p *parser) payload(b []byte) {
	for i := 0; p.done >= 0 && i < len(b); i++ {
		switch c := b[i]; {
		case p.done < len(doneWord) && c == doneWord[p.done]:
			p.done++
		case (c == ' ' || c == '\t' || c == '\n') && (p.done == 0 || p.done == len(doneWord)):
		default:
			p.done = -1
		}
	}
	p.json.feed(b)
}

// endLine reports whether the line was the empty one that ends an event.
func (p *parser) endLine() bool {
	blank := p.line == lineStart
	if p.line == lineName {
		p.named()
	}
	p.line, p.later = lineStart, true
	return blank
}

// take returns the event that has passed, and begins the next.
func (p *parser) take() event {
	if p.again {
		p.again = false
		return event{eventSummary: repeated(), data: true}
	}
	e := event{eventSummary: p.json.eventSummary, data: p.data, done: p.data && p.done == len(doneWord)}
	object := p.json.complete()
	e.blank = e.data && p.json.syntax.empty()
	e.broken = e.data && !e.done && !object && !e.blank
	if e.done || !object {
		e.eventSummary = eventSummary{}
	}
	e.failed = e.failed || p.failed
	p.data, p.failed, p.done, p.json = false, false, 0, walker{}
	return e
}

// end is the stream's end: what has come of an event is one.
func (p *parser) end() {
	if p.cr || p.line != lineStart {
		p.cr = false
		p.endLine()
	}
}
