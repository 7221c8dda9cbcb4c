package mediafile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/abema/go-mp4"
)

// ErrMalformed is returned for bytes that are not a file with one index.
var ErrMalformed = errors.New("malformed MP4 file")

func malformed(why any) error { return fmt.Errorf("%w: %v", ErrMalformed, why) }

// MoovFirst returns the file with its moov box directly after ftyp and every
// chunk offset corrected. A file that is so already is returned as it is; data
// is otherwise not changed.
func MoovFirst(data []byte) ([]byte, error) {
	boxes, err := split(data)
	if err != nil {
		return nil, err
	}
	var moov, front *mp4.BoxInfo
	var insert uint64
	for _, b := range boxes {
		switch b.Type {
		case mp4.BoxTypeFtyp():
			if moov == nil {
				insert = b.Offset + b.Size
			}
		case mp4.BoxTypeMdat():
			if front == nil {
				front = b
			}
		case mp4.BoxTypeMoov():
			moov = b
		}
	}
	switch {
	case moov == nil:
		return nil, malformed("no index")
	case front == nil || moov.Offset < front.Offset:
		return data, nil
	}
	out := make([]byte, 0, len(data))
	out = append(out, data[:insert]...)
	out = append(out, data[moov.Offset:moov.Offset+moov.Size]...)
	// Media between the insertion point and the old index moves back by the size
	// of the index; media after it stays.
	if err := mp4Shift(out[insert:], insert, moov.Offset, moov.Size); err != nil {
		return nil, err
	}
	out = append(out, data[insert:moov.Offset]...)
	return append(out, data[moov.Offset+moov.Size:]...), nil
}

// split returns the outermost boxes of a file. Each lies within it, which the library does not check.
func split(data []byte) (boxes []*mp4.BoxInfo, err error) {
	r := bytes.NewReader(data)
	for end := uint64(0); end < uint64(len(data)); {
		b, err := mp4.ReadBoxInfo(r)
		switch {
		case err != nil:
			return nil, malformed(err)
		case b.Size < b.HeaderSize || b.Size > uint64(len(data))-b.Offset:
			return nil, malformed(fmt.Sprintf("box of %d bytes", b.Size))
		}
		boxes, end = append(boxes, b), b.Offset+b.Size
		if _, err := b.SeekToEnd(r); err != nil {
			return nil, malformed(err)
		}
	}
	return boxes, nil
}

// mp4Shift adds by to the chunk offsets in [from, to) of an index.
func mp4Shift(index []byte, from, to, by uint64) error {
	table := mp4.BoxPath{mp4.BoxTypeMoov(), mp4.BoxTypeTrak(), mp4.BoxTypeMdia(), mp4.BoxTypeMinf(), mp4.BoxTypeStbl()}
	tables, err := mp4.ExtractBoxesWithPayload(bytes.NewReader(index), nil,
		[]mp4.BoxPath{append(table[:5:5], mp4.BoxTypeStco()), append(table[:5:5], mp4.BoxTypeCo64())})
	if err != nil {
		return malformed(err)
	}
	for _, t := range tables {
		offsets := index[t.Info.Offset+t.Info.HeaderSize+8:] // behind version, flags and count
		switch box := t.Payload.(type) {
		case *mp4.Stco:
			for i, v := range box.ChunkOffset {
				v := uint64(v)
				if v < from || v >= to {
					continue
				}
				if v+by > math.MaxUint32 {
					return malformed("chunk beyond 4 GiB")
				}
				binary.BigEndian.PutUint32(offsets[4*i:], uint32(v+by))
			}
		case *mp4.Co64:
			for i, v := range box.ChunkOffset {
				if v >= from && v < to {
					binary.BigEndian.PutUint64(offsets[8*i:], v+by)
				}
			}
		}
	}
	return nil
}

// Fragmented reports whether the file's media is in fragments. It reads no more than
// the headers of the outermost boxes, and takes bytes of any kind.
func Fragmented(data []byte) bool {
	const shortHeader, longHeader = 8, 16
	for at := 0; len(data)-at >= shortHeader; {
		if string(data[at+4:at+shortHeader]) == "moof" {
			return true
		}
		size := uint64(binary.BigEndian.Uint32(data[at:]))
		if size == 1 && len(data)-at >= longHeader {
			size = binary.BigEndian.Uint64(data[at+shortHeader:])
		}
		if size < shortHeader || size > uint64(len(data)-at) {
			return false
		}
		at += int(size)
	}
	return false
}
