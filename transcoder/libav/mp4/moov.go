// Package mp4 moves the index of an MP4 file to its front, so that a player can
// start before it has the whole file. It works on files in memory that libav's
// writer has just made; it is no general MP4 parser. Only transcoder/libav calls it.
package mp4

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// ErrMalformed is returned for bytes that are not a file with one index.
var ErrMalformed = errors.New("malformed MP4 file")

// header sizes of a box: size and type, and the same with a 64-bit size.
const (
	shortHeader = 8
	longHeader  = 16
)

type box struct {
	kind       string
	start, end int
	body       int
}

// MoovFirst returns the file with its moov box directly after ftyp and every
// chunk offset corrected. A file that is so already is returned as it is; data
// is otherwise not changed.
func MoovFirst(data []byte) ([]byte, error) {
	boxes, err := split(data, 0, len(data))
	if err != nil {
		return nil, err
	}
	var moov, front box
	insert := 0
	for _, b := range boxes {
		switch b.kind {
		case "ftyp":
			insert = b.end
		case "mdat":
			if front.kind == "" {
				front = b
			}
		case "moov":
			moov = b
		}
	}
	switch {
	case moov.kind == "":
		return nil, fmt.Errorf("%w: no index", ErrMalformed)
	case front.kind == "" || moov.start < front.start:
		return data, nil
	}
	out := make([]byte, 0, len(data))
	out = append(out, data[:insert]...)
	out = append(out, data[moov.start:moov.end]...)
	index := out[insert:]
	// Media between the insertion point and the old index moves back by the size
	// of the index; media after it stays.
	if err := shift(index, uint64(insert), uint64(moov.start), uint64(moov.end-moov.start)); err != nil {
		return nil, err
	}
	out = append(out, data[insert:moov.start]...)
	return append(out, data[moov.end:]...), nil
}

// Fragmented reports whether the file's media is in fragments. It reads no more than
// the headers of the outermost boxes, and takes bytes of any kind.
func Fragmented(data []byte) bool {
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

// split returns the boxes of data[from:to].
func split(data []byte, from, to int) ([]box, error) {
	var boxes []box
	for at := from; at < to; {
		if to-at < shortHeader {
			return nil, fmt.Errorf("%w: %d stray bytes", ErrMalformed, to-at)
		}
		size, head := uint64(binary.BigEndian.Uint32(data[at:])), shortHeader
		switch size {
		case 0:
			size = uint64(to - at)
		case 1:
			if to-at < longHeader {
				return nil, fmt.Errorf("%w: cut box", ErrMalformed)
			}
			size, head = binary.BigEndian.Uint64(data[at+shortHeader:]), longHeader
		}
		if size < uint64(head) || size > uint64(to-at) {
			return nil, fmt.Errorf("%w: box of %d bytes", ErrMalformed, size)
		}
		boxes = append(boxes, box{string(data[at+4 : at+8]), at, at + int(size), at + head})
		at += int(size)
	}
	return boxes, nil
}

// shift adds by to the chunk offsets in [from, to) of an index.
func shift(index []byte, from, to, by uint64) error {
	return walk(index, 0, len(index), 0, func(b box) error {
		switch b.kind {
		case "stco":
			return offsets(index[b.body:b.end], 4, from, to, by)
		case "co64":
			return offsets(index[b.body:b.end], 8, from, to, by)
		}
		return nil
	})
}

// depth of the path moov, trak, mdia, minf, stbl, stco.
const maxDepth = 6

var containers = map[string]bool{"moov": true, "trak": true, "mdia": true, "minf": true, "stbl": true}

func walk(data []byte, from, to, depth int, visit func(box) error) error {
	boxes, err := split(data, from, to)
	if err != nil {
		return err
	}
	for _, b := range boxes {
		if containers[b.kind] && depth < maxDepth {
			err = walk(data, b.body, b.end, depth+1, visit)
		} else {
			err = visit(b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// offsets corrects the table of an stco or co64 box: version and flags, a count,
// and that many offsets of the given width.
func offsets(table []byte, width int, from, to, by uint64) error {
	if len(table) < 8 {
		return fmt.Errorf("%w: cut chunk table", ErrMalformed)
	}
	n := uint64(binary.BigEndian.Uint32(table[4:]))
	table = table[8:]
	if n > uint64(len(table)/width) {
		return fmt.Errorf("%w: %d chunks in %d bytes", ErrMalformed, n, len(table))
	}
	for i := range int(n) {
		entry := table[i*width:]
		if width == 8 {
			if v := binary.BigEndian.Uint64(entry); v >= from && v < to {
				binary.BigEndian.PutUint64(entry, v+by)
			}
			continue
		}
		v := uint64(binary.BigEndian.Uint32(entry))
		if v < from || v >= to {
			continue
		}
		if v+by > math.MaxUint32 {
			return fmt.Errorf("%w: chunk beyond 4 GiB", ErrMalformed)
		}
		binary.BigEndian.PutUint32(entry, uint32(v+by))
	}
	return nil
}
