package worker

import (
	"encoding/binary"
	"fmt"
)

// ProtocolVersion is the protocol's version. Both sides are the same executable, so a
// difference means a broken installation, not a negotiation.
const ProtocolVersion = 5

// MessageType is a frame's kind.
type MessageType uint8

// The frames. The arrows show the sender: C the control process, W the worker.
const (
	TypeHello      MessageType = 1  // W→C once: the worker is ready
	TypePing       MessageType = 2  // C→W: ID is a sequence number
	TypePong       MessageType = 3  // W→C: the answer, same ID
	TypeJob        MessageType = 4  // C→W: a segment; its bytes follow as Data
	TypeData       MessageType = 5  // both: the next bytes of the payload of ID
	TypeResult     MessageType = 6  // W→C: what came of ID; its bytes follow as Data
	TypeError      MessageType = 7  // W→C: ID failed
	TypeCancel     MessageType = 8  // C→W: ID is no longer wanted
	TypeEndSession MessageType = 9  // C→W: free what the session holds
	TypeProbe      MessageType = 10 // C→W: media to be looked at; its bytes follow as Data
	TypeProbed     MessageType = 11 // W→C: what the media of ID is
	TypeLimit      MessageType = 12 // C→W: how many hardware encoders can be open?
	TypeLimited    MessageType = 13 // W→C: so many
	TypeSound      MessageType = 14 // C→W: sound to be converted; its bytes follow as Data
	TypeImage      MessageType = 15 // C→W: an image to be decoded; its bytes follow as Data
)

// headerSize: type, three zero bytes, length (4), ID (8), big endian.
const headerSize = 16

// Limits on a frame's length, in bytes.
const (
	// maxMessage bounds every frame but Data.
	maxMessage = 64 << 10
	// maxChunk bounds a Data frame. At the speed of a local socket it is the time
	// a heartbeat waits at most, some 0.1 ms.
	maxChunk = 256 << 10
)

// MessageHeader announces one frame: Len bytes follow it.
type MessageHeader struct {
	Type MessageType
	Len  int
	ID   uint64
}

// ProtocolError says that the other side broke the protocol. The connection is useless
// after it.
type ProtocolError struct{ Reason string }

func (e *ProtocolError) Error() string { return "worker protocol: " + e.Reason }

func protocolErrorf(format string, args ...any) error {
	return &ProtocolError{Reason: fmt.Sprintf(format, args...)}
}

func (h MessageHeader) put(b *[headerSize]byte) {
	*b = [headerSize]byte{0: byte(h.Type)}
	binary.BigEndian.PutUint32(b[4:], uint32(h.Len))
	binary.BigEndian.PutUint64(b[8:], h.ID)
}

func parseHeader(b *[headerSize]byte) (MessageHeader, error) {
	h := MessageHeader{
		Type: MessageType(b[0]),
		Len:  int(binary.BigEndian.Uint32(b[4:])),
		ID:   binary.BigEndian.Uint64(b[8:]),
	}
	switch {
	case h.Type < TypeHello || h.Type > TypeImage:
		return h, protocolErrorf("unknown frame type %d", h.Type)
	case b[1]|b[2]|b[3] != 0:
		return h, protocolErrorf("reserved bytes set in a frame of type %d", h.Type)
	case h.Type == TypeData && (h.Len < 1 || h.Len > maxChunk):
		return h, protocolErrorf("data frame of %d bytes", h.Len)
	case h.Type != TypeData && h.Len > maxMessage:
		return h, protocolErrorf("frame of type %d with %d bytes", h.Type, h.Len)
	}
	return h, nil
}
