package docker

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

const (
	// maxLines and maxTailBytes bound what is kept of a container's output.
	maxLines     = 20
	maxTailBytes = 4 << 10
	// headerBytes precede each frame of output: stream, three zeros, length.
	headerBytes = 8
	// streams are standard input, output, error and the engine's own.
	streams     = 4
	errorStream = 2
)

// errFraming means that the output is not in the engine's frames.
var errFraming = errors.New("the container's output is not in the Docker Engine's frame format")

// output is the end of what a container printed.
type output struct {
	// lines of both streams in the order in which they ended, cleaned and bounded.
	lines []string
	// lastStderr is the last line of standard error.
	lastStderr string
}

// tail reads the engine's frames of a container's output and keeps the last n lines. It
// buffers one partial line per stream, never a frame.
func tail(r io.Reader, n int) (output, error) {
	t := tailer{keep: min(max(n, 0), maxLines)}
	var header [headerBytes]byte
	for {
		if _, err := io.ReadFull(r, header[:]); err != nil {
			if errors.Is(err, io.EOF) {
				return t.end(), nil
			}
			return t.end(), err
		}
		if header[0] >= streams || header[1]|header[2]|header[3] != 0 {
			return t.end(), errFraming
		}
		frame := io.LimitReader(r, int64(binary.BigEndian.Uint32(header[4:])))
		if err := t.read(int(header[0]), frame); err != nil {
			return t.end(), err
		}
	}
}

type tailer struct {
	keep int
	out  output
	part [streams]partialLine
	buf  [1024]byte
}

func (t *tailer) read(stream int, frame io.Reader) error {
	for {
		n, err := frame.Read(t.buf[:])
		t.feed(stream, t.buf[:n])
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// partialLine is a line that has not ended.
type partialLine struct {
	text []byte
	// repaint means that a carriage return came last: what follows replaces the line, as
	// progress bars do, unless the line ends.
	repaint bool
}

func (t *tailer) feed(stream int, b []byte) {
	p := &t.part[stream]
	for len(b) > 0 {
		i := bytes.IndexAny(b, "\r\n")
		text := b
		if i >= 0 {
			text = b[:i]
		}
		p.add(text)
		if i < 0 {
			return
		}
		if b[i] == '\n' {
			t.complete(stream)
		} else {
			p.repaint = true
		}
		b = b[i+1:]
	}
}

func (p *partialLine) add(text []byte) {
	if len(text) == 0 {
		return
	}
	if p.repaint {
		p.text, p.repaint = p.text[:0], false
	}
	p.text = append(p.text, text[:min(len(text), maxText-len(p.text))]...)
}

func (t *tailer) complete(stream int) {
	p := &t.part[stream]
	if text := clean(string(p.text)); text != "" {
		t.out.lines = append(t.out.lines, text)
		if len(t.out.lines) > t.keep {
			t.out.lines = t.out.lines[1:]
		}
		if stream == errorStream {
			t.out.lastStderr = text
		}
	}
	p.text, p.repaint = p.text[:0], false
}

// end completes the partial lines and drops the oldest lines beyond maxTailBytes.
func (t *tailer) end() output {
	for stream := range t.part {
		t.complete(stream)
	}
	total := 0
	for i := len(t.out.lines) - 1; i >= 0; i-- {
		if total += len(t.out.lines[i]); total > maxTailBytes {
			t.out.lines = t.out.lines[i+1:]
			break
		}
	}
	return t.out
}
