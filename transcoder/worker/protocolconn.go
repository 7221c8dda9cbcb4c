package worker

import (
	"bufio"
	"io"
	"net"
	"sync"
)

// Conn frames a stream, a socket or a pair of pipes. One goroutine reads; any number
// may send.
type Conn struct {
	raw io.ReadWriteCloser
	in  *bufio.Reader
	// mu covers one frame's write, so that frames of several senders interleave
	// whole.
	mu sync.Mutex
}

// NewConn takes over raw.
func NewConn(raw io.ReadWriteCloser) *Conn {
	// The buffer serves headers and messages; payloads are larger and go past it.
	return &Conn{raw: raw, in: bufio.NewReaderSize(raw, 4<<10)}
}

// Close closes the stream; pending reads and writes fail.
func (c *Conn) Close() error { return c.raw.Close() }

// Send writes one message and then the payloads in chunks. It returns when the
// last byte is with the kernel: the payloads are not read after that. Other
// senders' frames may come between the chunks. A message longer than maxMessage
// is refused before anything is written.
func (c *Conn) Send(t MessageType, id uint64, message []byte, payloads ...[]byte) error {
	if len(message) > maxMessage {
		return protocolErrorf("message of %d bytes", len(message))
	}
	if err := c.write(MessageHeader{Type: t, Len: len(message), ID: id}, message); err != nil {
		return err
	}
	for _, p := range payloads {
		for len(p) > 0 {
			n := min(len(p), maxChunk)
			if err := c.write(MessageHeader{Type: TypeData, Len: n, ID: id}, p[:n]); err != nil {
				return err
			}
			p = p[n:]
		}
	}
	return nil
}

func (c *Conn) write(h MessageHeader, body []byte) error {
	var head [headerSize]byte
	h.put(&head)
	c.mu.Lock()
	defer c.mu.Unlock()
	bufs := net.Buffers{head[:], body}
	if len(body) == 0 {
		bufs = bufs[:1]
	}
	_, err := bufs.WriteTo(c.raw)
	return err
}

// Next reads the next frame's header. The caller then takes exactly its Len
// bytes with Message, Into or Discard.
func (c *Conn) Next() (MessageHeader, error) {
	var head [headerSize]byte
	if _, err := io.ReadFull(c.in, head[:]); err != nil {
		return MessageHeader{}, err
	}
	return parseHeader(&head)
}

// Message reads the body of a frame that is not Data.
func (c *Conn) Message(h MessageHeader) ([]byte, error) {
	b := make([]byte, h.Len)
	_, err := io.ReadFull(c.in, b)
	return b, err
}

// Into reads len(b) bytes of the frame's body into b.
func (c *Conn) Into(b []byte) error {
	_, err := io.ReadFull(c.in, b)
	return err
}

// Discard drops n bytes of the frame's body.
func (c *Conn) Discard(n int) error {
	_, err := c.in.Discard(n)
	return err
}
