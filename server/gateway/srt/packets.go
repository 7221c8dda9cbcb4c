package srt

import (
	"errors"
	"io"
)

const (
	packetSize = 188
	syncByte   = 0x47
	// maxUnit bounds what came of one unit of a PID without its end, maxUnits that of all.
	maxUnit, maxUnits = 8 << 20, 16 << 20
)

var (
	errNoTS     = errors.New("what comes is not MPEG-TS")
	errTooLarge = errors.New("a picture is larger than 8 MiB")
)

// packets passes on a transport stream whose units are bounded: the library keeps a unit until the next one of the
// same PID begins.
type packets struct {
	r    io.Reader
	buf  [packetSize]byte
	left []byte
	held map[uint16]int
	all  int
}

func newPackets(r io.Reader) *packets { return &packets{r: r, held: make(map[uint16]int)} }

// Read reads.
func (t *packets) Read(p []byte) (int, error) {
	if len(t.left) == 0 {
		if _, err := io.ReadFull(t.r, t.buf[:]); errors.Is(err, io.ErrUnexpectedEOF) {
			return 0, io.EOF
		} else if err != nil {
			return 0, err
		}
		if err := t.check(); err != nil {
			return 0, err
		}
		t.left = t.buf[:]
	}
	n := copy(p, t.left)
	t.left = t.left[n:]
	return n, nil
}

// check counts a packet for its PID.
func (t *packets) check() error {
	if t.buf[0] != syncByte {
		return errNoTS
	}
	pid := uint16(t.buf[1]&0x1f)<<8 | uint16(t.buf[2])
	if t.buf[1]&0x40 != 0 { // a unit begins
		t.all -= t.held[pid]
		t.held[pid] = 0
	}
	t.held[pid] += packetSize
	t.all += packetSize
	if t.held[pid] > maxUnit || t.all > maxUnits {
		return errTooLarge
	}
	return nil
}
