package frame

import (
	"encoding/binary"
	"fmt"
)

// Version is the protocol's version. Both sides are the same executable, so a
// difference means a broken installation, not a negotiation.
const Version = 3

// Type is a frame's kind.
type Type uint8

// The frames. The arrows show the sender: C the control process, W the worker.
const (
	TypeHello      Type = 1  // W→C once: the worker is ready
	TypePing       Type = 2  // C→W: ID is a sequence number
	TypePong       Type = 3  // W→C: the answer, same ID
	TypeJob        Type = 4  // C→W: a segment; its bytes follow as Data
	TypeData       Type = 5  // both: the next bytes of the payload of ID
	TypeResult     Type = 6  // W→C: what came of ID; its bytes follow as Data
	TypeError      Type = 7  // W→C: ID failed
	TypeCancel     Type = 8  // C→W: ID is no longer wanted
	TypeEndSession Type = 9  // C→W: free what the session holds
	TypeProbe      Type = 10 // C→W: media to be looked at; its bytes follow as Data
	TypeProbed     Type = 11 // W→C: what the media of ID is
	TypeLimit      Type = 12 // C→W: how many hardware encoders can be open?
	TypeLimited    Type = 13 // W→C: so many
)

// headerSize: type, three zero bytes, length (4), ID (8), big endian.
const headerSize = 16

// Limits on a frame's length, in bytes.
const (
	// MaxMessage bounds every frame but Data.
	MaxMessage = 64 << 10
	// MaxChunk bounds a Data frame. At the speed of a local socket it is the time
	// a heartbeat waits at most, some 0.1 ms.
	MaxChunk = 256 << 10
)

// Header announces one frame: Len bytes follow it.
type Header struct {
	Type Type
	Len  int
	ID   uint64
}

// Error says that the other side broke the protocol. The connection is useless
// after it.
type Error struct{ Reason string }

func (e *Error) Error() string { return "worker protocol: " + e.Reason }

func errorf(format string, args ...any) error {
	return &Error{Reason: fmt.Sprintf(format, args...)}
}

func (h Header) put(b *[headerSize]byte) {
	*b = [headerSize]byte{0: byte(h.Type)}
	binary.BigEndian.PutUint32(b[4:], uint32(h.Len))
	binary.BigEndian.PutUint64(b[8:], h.ID)
}

func parseHeader(b *[headerSize]byte) (Header, error) {
	h := Header{
		Type: Type(b[0]),
		Len:  int(binary.BigEndian.Uint32(b[4:])),
		ID:   binary.BigEndian.Uint64(b[8:]),
	}
	switch {
	case h.Type < TypeHello || h.Type > TypeLimited:
		return h, errorf("unknown frame type %d", h.Type)
	case b[1]|b[2]|b[3] != 0:
		return h, errorf("reserved bytes set in a frame of type %d", h.Type)
	case h.Type == TypeData && (h.Len < 1 || h.Len > MaxChunk):
		return h, errorf("data frame of %d bytes", h.Len)
	case h.Type != TypeData && h.Len > MaxMessage:
		return h, errorf("frame of type %d with %d bytes", h.Type, h.Len)
	}
	return h, nil
}
