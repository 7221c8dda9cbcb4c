package verify

import (
	"encoding/binary"
)

// maxSamples bounds the samples of one track: five minutes of 240 frames a second
// are far below.
const maxSamples = 1 << 20

// sampleReader finds a track's samples in a file.
type sampleReader struct {
	data  []byte
	track *track
	// left is how many bytes of samples there may still be: samples do not share
	// bytes, so together they are no larger than the file. count is their number.
	left, count int
}

// take reads one sample.
func (r *sampleReader) take(offset uint64, size uint32) error {
	if r.count++; r.count > maxSamples {
		return unreadable("it has more samples than any segment")
	}
	end := offset + uint64(size)
	if end > uint64(len(r.data)) || end < offset {
		return unreadable("a sample lies outside the file")
	}
	if r.left -= int(size); r.left < 0 {
		return unreadable("its samples overlap")
	}
	r.track.sample(r.data[offset:end])
	return r.track.count.err()
}

// words is a table of 32-bit numbers.
type words []byte

func (w words) len() int { return len(w) / 4 }

func (w words) at(i int) uint32 { return binary.BigEndian.Uint32(w[4*i:]) }

// entries returns the part of a full box's body after its version, flags and count, for
// count entries of so many words; less when the box is cut short.
func entries(body []byte, perEntry int) words {
	if len(body) < 8 {
		return nil
	}
	n := min(uint64(binary.BigEndian.Uint32(body[4:])), uint64(len(body)-8)/uint64(4*perEntry))
	return words(body[8 : 8+int(n)*4*perEntry])
}

// tables reads the samples that the sample table tells of.
func (r *sampleReader) tables(table []byte) error {
	sizes, err := sizesOf(ChildBox(table, "stsz"), ChildBox(table, "stz2"))
	if err != nil || sizes.count == 0 {
		return err
	}
	runs := entries(ChildBox(table, "stsc"), 3)
	chunks, wide := entries(ChildBox(table, "stco"), 1), false
	if chunks == nil {
		chunks, wide = entries(ChildBox(table, "co64"), 2), true
	}
	n := chunks.len()
	if wide {
		n /= 2
	}
	sample, run := 0, 0
	for chunk := 0; chunk < n && sample < sizes.count; chunk++ {
		for 3*(run+1) < runs.len() && runs.at(3*(run+1)) <= uint32(chunk)+1 {
			run++
		}
		if 3*run >= runs.len() {
			return unreadable("its samples are in no chunk")
		}
		offset := uint64(0)
		if wide {
			offset = uint64(chunks.at(2*chunk))<<32 | uint64(chunks.at(2*chunk+1))
		} else {
			offset = uint64(chunks.at(chunk))
		}
		for i := uint32(0); i < runs.at(3*run+1) && sample < sizes.count; i++ {
			size := sizes.of(sample)
			if err := r.take(offset, size); err != nil {
				return err
			}
			offset += uint64(size)
			sample++
		}
	}
	if sample < sizes.count {
		return unreadable("its tables tell of samples that are in no chunk")
	}
	return nil
}

// sizes are the samples' sizes: all the same, or one by one.
type sizes struct {
	same  uint32
	table words
	count int
}

func (s *sizes) of(i int) uint32 {
	if s.same != 0 {
		return s.same
	}
	return s.table.at(i)
}

// samplesOf returns how many samples a sample table tells of, 0 where that cannot be read.
func samplesOf(table []byte) int {
	s, err := sizesOf(ChildBox(table, "stsz"), ChildBox(table, "stz2"))
	if err != nil {
		return 0
	}
	return s.count
}

func sizesOf(stsz, stz2 []byte) (s sizes, err error) {
	switch {
	case stsz == nil && stz2 != nil:
		return s, unreadable("its sample sizes are in the compact form")
	case len(stsz) < 12:
		return s, nil
	}
	s.same = binary.BigEndian.Uint32(stsz[4:])
	declared := binary.BigEndian.Uint32(stsz[8:])
	if declared > maxSamples {
		return s, unreadable("it has more samples than any segment")
	}
	s.count, s.table = int(declared), words(stsz[12:])
	if s.same == 0 && s.table.len() < s.count {
		return s, unreadable("its table of sample sizes is cut short")
	}
	return s, nil
}
