package console

import (
	"bufio"
	"context"
	"io"
	"strings"
	"unicode"
)

// maxLine bounds a line of input, in bytes.
const maxLine = 1 << 20

// lines reads lines without blocking on a terminal without input. Reads
// of a terminal cannot be cut short, so the read that an interruption leaves
// behind ends with the process, and its line is the next one's.
type lines struct {
	reader  *bufio.Reader
	pending chan line
}

type line struct {
	text string
	err  error
}

func newLines(r io.Reader) *lines { return &lines{reader: bufio.NewReader(r)} }

// next returns the next line. A last line without an end counts; io.EOF says that
// nothing was left.
func (l *lines) next(ctx context.Context) (string, error) {
	if l.pending == nil {
		l.pending = make(chan line, 1)
		go l.read(l.pending)
	}
	select {
	case got := <-l.pending:
		l.pending = nil
		return got.text, got.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (l *lines) read(into chan<- line) {
	text, err := l.reader.ReadString('\n')
	text = clean(text)
	if err == io.EOF && text != "" {
		err = nil
	}
	into <- line{text, err}
}

// clean takes the line's end and control characters out; what arrow keys leave
// behind is no part of an answer.
func clean(s string) string {
	if len(s) > maxLine {
		s = s[:maxLine]
	}
	s = strings.TrimRight(s, "\r\n")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' {
			return -1
		}
		return r
	}, s)
}
