package money

import (
	"bytes"
	"encoding/binary"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/capability"
)

// box is a box of an MP4 file.
func box(kind string, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(8+len(body))), kind...), body...)
}

// fields are numbers of 4 bytes.
func fields(numbers ...uint32) (out []byte) {
	for _, n := range numbers {
		out = binary.BigEndian.AppendUint32(out, n)
	}
	return out
}

// lyingMP4 is an MP4 file with n equal packets of a codec that states one second: its
// clock, its durations and the duration of every packet are made up, and so is the rate.
func lyingMP4(kind string, config []byte, packet []byte, n int) []byte {
	const scale = 48_000
	head := box("ftyp", []byte("isom"), fields(512), []byte("isommp42"))
	data := box("mdat", bytes.Repeat(packet, n))
	entry := box(kind, make([]byte, 6), []byte{0, 1}, make([]byte, 8), []byte{0, 2, 0, 16, 0, 0, 0, 0},
		fields(scale<<16), config)
	tables := box("stbl",
		box("stsd", fields(0, 1), entry),
		box("stts", fields(0, 1, uint32(n), scale/uint32(n)+1)),
		box("stsc", fields(0, 1, 1, uint32(n), 1)),
		box("stsz", fields(0, uint32(len(packet)), uint32(n))),
		box("stco", fields(0, 1, uint32(len(head)+8))),
	)
	media := box("mdia",
		box("mdhd", fields(0, 0, 0, scale, scale), []byte{0x55, 0xc4, 0, 0}),
		box("hdlr", fields(0, 0), []byte("soun"), fields(0, 0, 0), []byte{0}),
		box("minf", box("smhd", fields(0, 0)), box("dinf", box("dref", fields(0, 1), box("url ", fields(1)))), tables),
	)
	matrix := fields(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
	track := box("trak", box("tkhd", fields(3, 0, 0, 1, 0, 1000, 0, 0, 0, 0x01000000), matrix, fields(0, 0)), media)
	movie := box("moov", box("mvhd", fields(0, 0, 0, 1000, 1000, 0x10000, 0x01000000, 0, 0), matrix,
		fields(0, 0, 0, 0, 0, 0, 2)), track)
	return bytes.Join([][]byte{head, data, movie}, nil)
}

// opusSound is of packets of 20 ms.
func opusSound(seconds int) []byte {
	config := box("dOps", []byte{0, 2, 0, 0}, fields(48_000), []byte{0, 0, 0})
	return lyingMP4("Opus", config, append([]byte{0x78}, make([]byte, 39)...), seconds*50)
}

// flacSound is of frames of 4096 samples at 44.1 kHz, and ALAC the same.
func flacSound(seconds int) []byte {
	info := make([]byte, 34)
	binary.BigEndian.PutUint16(info, 4096)
	binary.BigEndian.PutUint16(info[2:], 4096)
	binary.BigEndian.PutUint64(info[10:], 44_100<<44|1<<41|15<<36)
	frame := []byte{0xff, 0xf8, 0xc9, 0x18, 0x00}
	crc := byte(0)
	for _, b := range frame {
		crc ^= b
		for range 8 {
			top := crc&0x80 != 0
			if crc <<= 1; top {
				crc ^= 7
			}
		}
	}
	frame = append(append(frame, crc), make([]byte, 60)...)
	return lyingMP4("fLaC", box("dfLa", fields(0), []byte{0x80, 0, 0, 34}, info), frame, seconds*44_100/4096)
}

func alacSound(seconds int) []byte {
	cookie := append(fields(4096), 0, 16, 40, 10, 14, 2, 0, 255)
	cookie = append(cookie, fields(0, 0, 44_100)...)
	return lyingMP4("alac", box("alac", fields(0), cookie), make([]byte, 60), seconds*44_100/4096)
}

// usacSound is xHE-AAC of frames of 4096 samples at 7350 Hz, whose configuration says 96 kHz
// around that.
func usacSound(seconds int) []byte {
	const bits = 31<<59 | 10<<53 | 0<<49 | 2<<45 | 12<<40 | 4<<37
	config := binary.BigEndian.AppendUint64(nil, bits)
	descriptor := func(tag byte, parts ...[]byte) []byte {
		body := bytes.Join(parts, nil)
		return append([]byte{tag, byte(len(body))}, body...)
	}
	decoder := descriptor(4, []byte{0x40, 0x15, 0, 0, 0}, fields(64_000, 64_000), descriptor(5, config))
	stream := descriptor(3, []byte{0, 1, 0}, decoder, descriptor(6, []byte{2}))
	return lyingMP4("mp4a", box("esds", fields(0), stream), append([]byte{0x80}, make([]byte, 59)...),
		seconds*7350/4096)
}

// TestSoundThatLies: a file of 200 seconds that states one is billed as 200 seconds,
// whatever its container says.
func TestSoundThatLies(t *testing.T) {
	t.Parallel()
	const seconds, sound = 200, soundPrice * 1000
	w := newWorld(t)
	w.runner.Does("audio-to-text", func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		rw.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(rw, `{"text":"la la","chunks":[{"text":"la la","timestamp":[0,1]}]}`)
	})
	p := w.newPayer(5)
	p.served(4)
	files := map[string][]byte{
		"opus in mp4": opusSound(seconds), "flac in mp4": flacSound(seconds), "alac in mp4": alacSound(seconds),
		"usac in mp4": usacSound(seconds),
	}
	info := p.offer(wants(capability.AudioToText))
	for name, file := range files {
		if status, text := p.transcribe(info, p.pay(info, 1), file); status == 200 ||
			!strings.Contains(text, "Insufficient balance") {
			t.Errorf("%s, paid for a few seconds: %d %s", name, status, text)
		}
	}
	for name, file := range files {
		before := p.billed("audio-to-text")
		if status, text := p.transcribe(info, p.pay(info, tickets(info, (seconds+5)*sound)), file); status != 200 {
			t.Errorf("%s, paid for what it plays: %d %s", name, status, text)
		}
		p.Wait(name+" to be billed", 10*time.Second, func() bool { return p.billed("audio-to-text") > before })
		if units := p.billed("audio-to-text") - before; units < (seconds-2)*1000 || units > (seconds+2)*1000 {
			t.Errorf("%s: %d units are billed", name, units)
		}
	}
}
