package pipelines

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"math"
)

// PNG is an image with a pattern of its own for each n.
func PNG(width, height, n int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.SetRGBA(x, y, color.RGBA{uint8(x + 8*n), uint8(y), uint8(40 * n), 255})
		}
	}
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestSpeed}
	_ = e.Encode(&b, img) // a buffer takes everything
	return b.Bytes()
}

// WAV is a tone of so many samples, mono and 16 bits each.
func WAV(rate, samples int) []byte {
	var b bytes.Buffer
	size := uint32(2 * samples)
	b.WriteString("RIFF")
	put(&b, binary.LittleEndian, 36+size)
	b.WriteString("WAVEfmt ")
	put(&b, binary.LittleEndian, uint32(16), uint16(1), uint16(1), uint32(rate), uint32(2*rate), uint16(2), uint16(16))
	b.WriteString("data")
	put(&b, binary.LittleEndian, size)
	for i := range samples {
		put(&b, binary.LittleEndian, int16(8000*math.Sin(2*math.Pi*440*float64(i)/float64(rate))))
	}
	return b.Bytes()
}

func put(b *bytes.Buffer, order binary.ByteOrder, values ...any) {
	for _, v := range values {
		_ = binary.Write(b, order, v) // a buffer takes everything
	}
}

// MP3 is silence of about so many seconds: frames of MPEG-1 Layer III at 48 kHz and
// 128 kbit/s whose side information says that nothing follows. Nothing but the
// number of bytes tells its length.
func MP3(seconds int) []byte {
	frame := make([]byte, 384)
	copy(frame, "\xff\xfb\x94\xc4")
	return bytes.Repeat(frame, (seconds*48000+1151)/1152)
}

const (
	flacRate  = 8000
	flacBlock = 4000
)

// FLAC is silence of so many seconds, mono at 8 kHz: blocks of half a second with
// one constant sample each.
func FLAC(seconds int) []byte {
	var b bytes.Buffer
	b.WriteString("fLaC")
	put(&b, binary.BigEndian, uint32(0x80000000|34), uint16(flacBlock), uint16(flacBlock))
	b.Write(make([]byte, 6)) // the frames' sizes, not told
	put(&b, binary.BigEndian, uint64(flacRate)<<44|uint64(15)<<36|uint64(seconds*flacRate))
	b.Write(make([]byte, 16)) // the sound's checksum, not told
	for n := range seconds * flacRate / flacBlock {
		// Fixed blocks of 16 bits' size, 8 kHz, mono, 16 bits, and the block's number.
		head := append([]byte{0xff, 0xf8, 0x74, 0x08, byte(n)}, byte((flacBlock-1)>>8), byte((flacBlock-1)&0xff))
		frame := append(head, checksum(head, 8, 0x07)[0], 0, 0, 0) // the constant 0
		b.Write(append(frame, checksum(frame, 16, 0x8005)...))
	}
	return b.Bytes()
}

// checksum is a CRC as FLAC has it: most significant bit first, from 0.
func checksum(data []byte, bits int, polynomial uint32) []byte {
	var crc uint32
	for _, d := range data {
		crc ^= uint32(d) << (bits - 8)
		for range 8 {
			crc <<= 1
			if crc>>bits&1 == 1 {
				crc ^= polynomial
			}
		}
	}
	crc &= 1<<bits - 1
	if bits == 8 {
		return []byte{byte(crc)}
	}
	return binary.BigEndian.AppendUint16(nil, uint16(crc))
}
