package http1

import (
	"bytes"
	"io"
)

// Bounds of a chunked body's framing, in bytes.
const (
	maxSizeLine = 256
	maxTrailers = 8 << 10
)

// chunkState is the decoder's state.
type chunkState int

const (
	sizeLine chunkState = iota
	inData
	dataEnd
	trailers
	chunksDone
)

// chunks decodes a chunked body out of a connection's buffer.
type chunks struct {
	state chunkState
	// left is the number of bytes left in the current chunk.
	left int64
	// trailer is the number of bytes of trailers that were read and skipped.
	trailer int
}

// step decodes what is buffered until p is full, and returns the number of bytes copied to p. More has
// to be read from the connection if n is 0, err is nil and the state is not chunksDone.
func (k *chunks) step(c *conn, p []byte) (n int, err error) {
	for err == nil && k.state != chunksDone {
		b := c.buffered()
		if k.state == inData {
			m := copy(p[n:], b[:min(int64(len(b)), k.left)])
			n += m
			c.pos += m
			if k.left -= int64(m); k.left > 0 {
				return n, nil
			}
			k.state = dataEnd
			continue
		}
		used := 0
		used, err = k.frame(b)
		c.pos += used
		if used == 0 {
			return n, err
		}
	}
	return n, err
}

// frame reads one framing element and returns its length, 0 while it is incomplete.
func (k *chunks) frame(b []byte) (used int, err error) {
	if k.state == dataEnd {
		return k.endOfData(b)
	}
	most := maxSizeLine
	if k.state == trailers {
		most = maxTrailers - k.trailer
	}
	end := bytes.IndexByte(b, '\n')
	if end < 0 && len(b) < most && len(b) < bufferSize {
		return 0, nil
	}
	if end < 0 || end >= most {
		return 0, ErrTooLarge
	}
	if end == 0 || b[end-1] != '\r' {
		return 0, malformed("a line of a chunked body does not end in CRLF")
	}
	line := b[:end-1]
	if k.state == trailers {
		k.trailer += end + 1
		if len(line) == 0 {
			k.state = chunksDone
		} else if _, _, err := field(string(line)); err != nil {
			return 0, err
		}
		return end + 1, nil
	}
	if k.left, err = chunkSize(line); err != nil {
		return 0, err
	}
	if k.state = inData; k.left == 0 {
		k.state = trailers
	}
	return end + 1, nil
}

func (k *chunks) endOfData(b []byte) (int, error) {
	switch {
	case len(b) > 0 && b[0] != '\r', len(b) > 1 && b[1] != '\n':
		return 0, malformed("a chunk is longer than its size")
	case len(b) < 2:
		return 0, nil
	}
	k.state = sizeLine
	return 2, nil
}

// chunkSize reads hex digits; an extension after a semicolon is skipped.
func chunkSize(line []byte) (int64, error) {
	if i := bytes.IndexByte(line, ';'); i >= 0 {
		if bytes.IndexByte(line[i:], '\r') >= 0 {
			return 0, malformed("a chunk's extension has a CR in it")
		}
		line = line[:i]
	}
	line = bytes.TrimRight(line, " \t")
	if len(line) == 0 || len(line) > 15 {
		return 0, malformed("a chunk's size is not a number")
	}
	var n int64
	for _, d := range line {
		switch {
		case d >= '0' && d <= '9':
			d -= '0'
		case d >= 'a' && d <= 'f':
			d -= 'a' - 10
		case d >= 'A' && d <= 'F':
			d -= 'A' - 10
		default:
			return 0, malformed("a chunk's size is not a number")
		}
		n = n<<4 | int64(d)
	}
	return n, nil
}

// read decodes into p. It waits for the first bytes only, and returns what has arrived. The error is
// io.EOF with the last bytes or after them.
func (k *chunks) read(c *conn, p []byte) (int, error) {
	for {
		n, err := k.step(c, p)
		switch {
		case err != nil:
			return n, err
		case k.state == chunksDone:
			return n, io.EOF
		case n > 0 || len(p) == 0:
			return n, nil
		}
		// Large chunks are read into p directly, without a copy through the buffer.
		if k.state == inData && c.pos == c.end && min(k.left, int64(len(p))) >= bufferSize {
			n, err := c.nc.Read(p[:min(k.left, int64(len(p)))])
			k.left -= int64(n)
			if k.left == 0 {
				k.state = dataEnd
			}
			return n, unexpected(err)
		}
		if err := c.fill(); err != nil {
			return 0, unexpected(err)
		}
	}
}
