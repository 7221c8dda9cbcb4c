package admission

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	// handshakeBytes are what a client sends before the first chunk: version, time, answer.
	handshakeBytes = 1 + 1536 + 1536
	plainVersion   = 3
	// minRTMPChunk and maxRTMPChunk bound the length of chunks that a client may choose; smaller ones cost more to keep
	// than they hold.
	minRTMPChunk, maxRTMPChunk = 128, 10 << 20
	firstChunk                 = 128
	// maxPicture, maxSound and maxCommand bound messages. Commands are objects in objects, which are read by
	// recursion.
	maxPicture = 8 << 20
	maxSound   = 256 << 10
	maxCommand = 64 << 10
	// maxUnfinished bounds all messages of which parts came, before and after the client was admitted.
	maxUnfinishedBefore, maxUnfinished = 128 << 10, 16 << 20
)

// Types of messages.
const (
	typeChunkSize = 1
	typeSound     = 8
	typePicture   = 9
)

// Of an extended picture the first byte has a bit and a kind.
const (
	extendedPicture   = 0x80
	beginOfPictures   = 0
	metadataOfPicture = 4
	pictureOfTrack    = 6
)

// maxOfTrack bounds a picture of one of many tracks, of which a reader keeps the beginning of each.
const maxOfTrack = 1 << 20

// rtmpHeaderBytes is how many bytes follow the first one in the header of a chunk, by its kind. Read-only.
var rtmpHeaderBytes = [4]int{11, 7, 3, 0}

// ErrRTMP is in all errors of a guard.
var ErrRTMP = errors.New("the peer sends what it may not")

// RTMPGuard passes a peer's bytes on and follows their chunks and messages: it refuses those that the library would
// keep too much memory or stack for, before the library gets them. It follows the library's rules exactly.
type RTMPGuard struct {
	r io.Reader
	// admitted: the peer may send media.
	admitted bool

	seen      int // bytes of the handshake
	chunkSize uint32
	streams   map[byte]*chunkStream
	// unfinished are the bytes of messages that are not whole.
	unfinished int64

	// The chunk that is being read: its kind and stream, what is there of its header, and how much is missing of
	// header and body.
	kind       byte
	at         *chunkStream
	header     []byte
	needHeader int
	extended   bool
	needBody   uint32
	inBody     bool
	// first: the next byte of a body is a message's first one.
	first bool
	last  [4]byte
}

// chunkStream is one of the series of messages whose chunks alternate.
type chunkStream struct {
	begun    bool
	kind     byte // the type of its messages
	length   uint32
	received uint32
	extended bool // its times have four bytes more
}

// NewRTMPGuard makes a guard of a peer that begins with a handshake.
func NewRTMPGuard(r io.Reader) *RTMPGuard {
	return &RTMPGuard{r: r, chunkSize: firstChunk, streams: make(map[byte]*chunkStream)}
}

// Admit lets the peer send media from now on.
func (g *RTMPGuard) Admit() { g.admitted = true }

// Read reads and checks.
func (g *RTMPGuard) Read(p []byte) (int, error) {
	n, err := g.r.Read(p)
	if bad := g.check(p[:n]); bad != nil {
		return 0, fmt.Errorf("%w: %w", ErrRTMP, bad)
	}
	return n, err
}

func (g *RTMPGuard) check(p []byte) error {
	if g.seen == 0 && len(p) > 0 && p[0] != plainVersion {
		return fmt.Errorf("version %d is none of RTMP without encryption", p[0])
	}
	skip := min(len(p), handshakeBytes-g.seen)
	g.seen += skip
	for p = p[skip:]; len(p) > 0; {
		n, err := g.step(p)
		if err != nil {
			return err
		}
		p = p[n:]
	}
	return nil
}

// step takes a part of a chunk.
func (g *RTMPGuard) step(p []byte) (int, error) {
	switch {
	case g.inBody:
		if g.first {
			if err := g.checkBegin(p[0]); err != nil {
				return 0, err
			}
		}
		n := int(min(uint32(len(p)), g.needBody))
		g.remember(p[:n])
		g.needBody -= uint32(n)
		if g.needBody == 0 {
			return n, g.endChunk()
		}
		return n, nil
	case g.at == nil:
		return 1, g.begin(p[0])
	}
	n := min(len(p), g.needHeader-len(g.header))
	g.header = append(g.header, p[:n]...)
	if len(g.header) < g.needHeader {
		return n, nil
	}
	return n, g.endHeader()
}

// remember keeps the last bytes of a body, which are the length of chunks in a message about that.
func (g *RTMPGuard) remember(p []byte) {
	for _, b := range p[max(0, len(p)-4):] {
		copy(g.last[:], g.last[1:])
		g.last[3] = b
	}
}

// begin reads a chunk's first byte.
func (g *RTMPGuard) begin(b byte) error {
	id := b & 0x3f
	if id < 2 {
		return errors.New("a chunk stream's number is not supported")
	}
	if g.streams[id] == nil {
		g.streams[id] = &chunkStream{}
	}
	g.kind, g.at, g.header, g.extended = b>>6, g.streams[id], g.header[:0], false
	switch {
	case g.kind != 0 && !g.at.begun:
		return errors.New("a chunk goes on with nothing")
	case g.kind != 3 && g.at.received != 0:
		return errors.New("a message begins within another one")
	}
	g.needHeader = rtmpHeaderBytes[g.kind]
	if g.kind == 3 && g.at.extended {
		g.needHeader, g.extended = 4, true
	}
	if g.needHeader == 0 {
		return g.endHeader()
	}
	return nil
}

// endHeader reads a chunk's header, which may go on with a longer time.
func (g *RTMPGuard) endHeader() error {
	h, s := g.header, g.at
	if g.kind == 3 {
		return g.beginBody()
	}
	if !g.extended && h[0] == 0xff && h[1] == 0xff && h[2] == 0xff {
		g.extended, g.needHeader = true, g.needHeader+4
		return nil
	}
	// A longer time that is in fact short is none, as far as the library is concerned.
	s.extended = g.extended && binary.BigEndian.Uint32(h[len(h)-4:]) >= 0xffffff
	if g.kind < 2 {
		s.length, s.kind = uint32(h[3])<<16|uint32(h[4])<<8|uint32(h[5]), h[6]
	}
	s.begun = true
	return g.beginBody()
}

// beginBody begins a chunk's body, and with it perhaps a message.
func (g *RTMPGuard) beginBody() error {
	s := g.at
	g.first = s.received == 0
	if g.first {
		if err := g.checkMessage(s); err != nil {
			return err
		}
	}
	g.inBody, g.needBody = true, min(s.length-s.received, g.chunkSize)
	s.received += g.needBody
	if g.needBody == 0 {
		return g.endChunk()
	}
	return nil
}

// checkMessage checks a message that begins.
func (g *RTMPGuard) checkMessage(s *chunkStream) error {
	most := int64(maxCommand)
	switch {
	case s.kind == typePicture && g.admitted:
		most = maxPicture
	case s.kind == typeSound && g.admitted:
		most = maxSound
	case s.kind == typeChunkSize:
		most = 4
	}
	all := int64(maxUnfinishedBefore)
	if g.admitted {
		all = maxUnfinished
	}
	if int64(s.length) > most || s.kind == typeChunkSize && s.length != 4 {
		return fmt.Errorf("a message of type %d has %d bytes", s.kind, s.length)
	}
	if g.unfinished += int64(s.length); g.unfinished > all {
		return errors.New("too many messages are unfinished")
	}
	return nil
}

// checkBegin checks a message by its first byte: metadata of a picture are objects in objects as commands are, and the
// beginning of a track is kept.
func (g *RTMPGuard) checkBegin(b byte) error {
	g.first = false
	s := g.at
	if s.kind != typePicture || b&extendedPicture == 0 {
		return nil
	}
	most := uint32(maxPicture)
	switch b & 0x0f {
	case metadataOfPicture, beginOfPictures:
		most = maxCommand
	case pictureOfTrack:
		most = maxOfTrack
	}
	if s.length > most {
		return fmt.Errorf("a picture's message of kind %d has %d bytes", b&0x0f, s.length)
	}
	return nil
}

// endChunk ends a chunk, and with it perhaps a message.
func (g *RTMPGuard) endChunk() error {
	s := g.at
	g.at, g.inBody = nil, false
	if s.received < s.length {
		return nil
	}
	s.received = 0
	g.unfinished -= int64(s.length)
	if s.kind != typeChunkSize {
		return nil
	}
	n := binary.BigEndian.Uint32(g.last[:])
	if n < minRTMPChunk || n > maxRTMPChunk {
		return fmt.Errorf("chunks of %d bytes", n)
	}
	g.chunkSize = n
	return nil
}
