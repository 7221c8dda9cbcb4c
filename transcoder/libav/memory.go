package libav

import (
	"errors"
	"io"

	"github.com/asticode/go-astiav"
)

// ioBuffer is libav's buffer between itself and our memory, in bytes.
const ioBuffer = 64 << 10

// seekSize is AVSEEK_SIZE: libav asks for the size of a file instead of seeking.
const seekSize = 0x10000

var errSeek = errors.New("seek outside of the file")

// newReader lets libav read data, which must stay alive and unchanged.
func newReader(data []byte) (*astiav.IOContext, error) {
	pos := int64(0)
	read := func(b []byte) (int, error) {
		if pos >= int64(len(data)) {
			return 0, io.EOF
		}
		n := copy(b, data[pos:])
		pos += int64(n)
		return n, nil
	}
	seek := func(offset int64, whence int) (int64, error) {
		at, err := seekTo(pos, int64(len(data)), offset, whence)
		if err == nil && whence&seekSize == 0 {
			pos = at
		}
		return at, err
	}
	return astiav.AllocIOContext(ioBuffer, false, read, seek, nil)
}

// seekTo answers libav's seek call: the new position, or the size when asked.
func seekTo(pos, size, offset int64, whence int) (int64, error) {
	switch whence &^ 0x20000 { // AVSEEK_FORCE changes nothing in memory
	case seekSize:
		return size, nil
	case io.SeekStart:
	case io.SeekCurrent:
		offset += pos
	case io.SeekEnd:
		offset += size
	default:
		return 0, errSeek
	}
	if offset < 0 || offset > 1<<40 {
		return 0, errSeek
	}
	return offset, nil
}

// output is a file in memory that libav writes, with a limit on its size.
type output struct {
	data  []byte
	pos   int64
	limit int64
	full  bool
}

func (o *output) writer() (*astiav.IOContext, error) {
	return astiav.AllocIOContext(ioBuffer, true, nil, o.seek, o.write)
}

func (o *output) write(b []byte) (int, error) {
	end := o.pos + int64(len(b))
	if end > o.limit {
		o.full = true
		return 0, astiav.ErrEio
	}
	if end > int64(len(o.data)) {
		if o.pos == int64(len(o.data)) {
			o.data = append(o.data, b...)
			o.pos = end
			return len(b), nil
		}
		o.data = append(o.data, make([]byte, end-int64(len(o.data)))...)
	}
	copy(o.data[o.pos:], b)
	o.pos = end
	return len(b), nil
}

func (o *output) seek(offset int64, whence int) (int64, error) {
	at, err := seekTo(o.pos, int64(len(o.data)), offset, whence)
	if err == nil && whence&seekSize == 0 {
		o.pos = at
	}
	return at, err
}
