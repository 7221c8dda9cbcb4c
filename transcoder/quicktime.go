package transcoder

import (
	"encoding/binary"
	"errors"
	"math"
)

// pngHeader begins a PNG file; its first chunk holds width and height.
const pngHeader = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"

var (
	errNotPNG    = errors.New("a frame is not a PNG file")
	errSizes     = errors.New("the frames differ in size")
	errTooLarge  = errors.New("the frames are too large together")
	errDimension = errors.New("a frame is larger than a video can be")
)

// maxBytes is what 32-bit offsets reach, and more than frames ever take.
const maxBytes = 1 << 30

// tick is how long a frame is shown, in ticks of a clock that is chosen so that
// usual frame rates are exact.
const tick = 1000

// wrap puts PNG files into a QuickTime file whose only track shows them one after
// another: the file type, the frames, then the index.
func wrap(frames [][]byte, fps float64) ([]byte, error) {
	width, height, err := size(frames)
	if err != nil {
		return nil, err
	}
	total := 0
	for _, f := range frames {
		total += len(f)
	}
	if total > maxBytes {
		return nil, errTooLarge
	}
	out := make([]byte, 0, total+64*len(frames)+1024)
	out = append(out, box("ftyp", []byte("qt  "), u32(0), []byte("qt  "))...)
	out = append(out, u32(uint32(total+8))...)
	out = append(out, "mdat"...)
	first := uint32(len(out))
	for _, f := range frames {
		out = append(out, f...)
	}
	timescale := uint32(math.Round(tick * fps))
	return append(out, moov(frames, width, height, timescale, first)...), nil
}

// size returns the width and height that all frames have.
func size(frames [][]byte) (width, height uint16, err error) {
	for i, f := range frames {
		if len(f) < len(pngHeader)+8 || string(f[:len(pngHeader)]) != pngHeader {
			return 0, 0, errNotPNG
		}
		w := binary.BigEndian.Uint32(f[len(pngHeader):])
		h := binary.BigEndian.Uint32(f[len(pngHeader)+4:])
		switch {
		case w == 0 || h == 0 || w > math.MaxInt16 || h > math.MaxInt16:
			return 0, 0, errDimension
		case i > 0 && (uint16(w) != width || uint16(h) != height):
			return 0, 0, errSizes
		}
		width, height = uint16(w), uint16(h)
	}
	return width, height, nil
}

// moov returns the file's index, the movie box.
func moov(frames [][]byte, width, height uint16, timescale, first uint32) []byte {
	duration := tick * uint32(len(frames))
	matrix := join(u32(1<<16), zero(12), u32(1<<16), zero(12), u32(1<<30))
	return box("moov",
		box("mvhd", zero(12), u32(timescale), u32(duration), u32(1<<16), u16(1<<8), zero(10), matrix, zero(24), u32(2)),
		box("trak",
			// Flags 3: enabled, and part of the movie.
			box("tkhd", u32(3), zero(8), u32(1), zero(4), u32(duration), zero(16), matrix,
				u32(uint32(width)<<16), u32(uint32(height)<<16)),
			box("mdia",
				box("mdhd", zero(12), u32(timescale), u32(duration), u16(0x55c4), zero(2)),
				box("hdlr", zero(4), []byte("mhlrvide"), zero(12), []byte{0}),
				box("minf",
					box("vmhd", u32(1), zero(8)),
					// The data is in this file.
					box("dinf", box("dref", zero(4), u32(1), box("url ", u32(1)))),
					table(frames, width, height, first)))))
}

// table returns the sample table: where each sample is and how long it is shown.
func table(frames [][]byte, width, height uint16, first uint32) []byte {
	sizes, offsets := make([]byte, 0, 4*len(frames)), make([]byte, 0, 4*len(frames))
	at := first
	for _, f := range frames {
		sizes = binary.BigEndian.AppendUint32(sizes, uint32(len(f)))
		offsets = binary.BigEndian.AppendUint32(offsets, at)
		at += uint32(len(f))
	}
	n := u32(uint32(len(frames)))
	const resolution = 72 << 16
	entry := box("png ", zero(6), u16(1), zero(16), u16(width), u16(height), u32(resolution), u32(resolution),
		zero(4), u16(1), zero(32), u16(24), u16(0xffff))
	return box("stbl",
		box("stsd", zero(4), u32(1), entry),
		box("stts", zero(4), u32(1), n, u32(tick)),
		// One chunk per sample.
		box("stsc", zero(4), u32(1), u32(1), u32(1), u32(1)),
		box("stsz", zero(8), n, sizes),
		box("stco", zero(4), n, offsets))
}

// box returns a box of the given type with these parts.
func box(kind string, parts ...[]byte) []byte {
	body := join(parts...)
	return join(u32(uint32(8+len(body))), []byte(kind), body)
}

func join(parts ...[]byte) []byte {
	var out []byte
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func u32(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }
func u16(n uint16) []byte { return binary.BigEndian.AppendUint16(nil, n) }
func zero(n int) []byte   { return make([]byte, n) }
