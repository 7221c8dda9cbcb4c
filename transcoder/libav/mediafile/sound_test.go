package mediafile_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/tuttinode/tutti/transcoder/libav/mediafile"
)

// flacFrame is the header of a frame of 4096 samples at a rate code.
func flacFrame(code, number byte) []byte {
	h := []byte{0xff, 0xf8, 0xc0 | code, 0x18, number}
	crc := byte(0)
	for _, b := range h {
		crc ^= b
		for range 8 {
			if crc&0x80 != 0 {
				crc = crc<<1 ^ 7
			} else {
				crc <<= 1
			}
		}
	}
	return append(append(h, crc), make([]byte, 50)...)
}

// mp3Frame is of 128 kbit/s at 44.1 kHz.
func mp3Frame() []byte {
	f := make([]byte, 417)
	copy(f, []byte{0xff, 0xfb, 0x90, 0})
	return f
}

func adtsFrame(size int) []byte {
	f := make([]byte, size)
	copy(f, []byte{0xff, 0xf1, 0x50, 0x80 | byte(size>>11), byte(size >> 3), byte(size<<5) | 0x1f, 0xfc})
	return f
}

// alacCookie is a configuration of 4096 samples at 44.1 kHz.
func alacCookie(rate uint32) []byte {
	c := make([]byte, 24)
	binary.BigEndian.PutUint32(c, 4096)
	binary.BigEndian.PutUint32(c[20:], rate)
	return c
}

// usacConfig is a configuration of USAC: the index of the rate around it and of its own,
// and of its frame's length.
func usacConfig(around, own, length uint64) []byte {
	// 5 and 6 bits of the kind, 4 of the rate, 4 of channels, 5 and 3 of USAC's own.
	bits := 31<<59 | uint64(10)<<53 | around<<49 | 2<<45 | own<<40 | length<<37
	return binary.BigEndian.AppendUint64(nil, bits)
}

// loasFrame is an element of LOAS with a configuration of HE-AAC, 24 kHz doubled to 48.
func loasFrame(body int) []byte {
	f := make([]byte, 3+body)
	copy(f, []byte{0x56, 0xe0 | byte(body>>8), byte(body)})
	const bits = 0x20002b1188000000 // 16 bits of the element's own, then 2b 11 88
	copy(f[3:], binary.BigEndian.AppendUint64(nil, bits))
	return f
}

func TestPackets(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stream mediafile.SoundStream
		packet []byte
		want   float64 // of one packet, in seconds
	}{
		"opus, 20 ms":        {mediafile.SoundStream{Codec: "opus", Rate: 8000}, []byte{0x78, 1, 2, 3}, 0.020},
		"opus, two of 60 ms": {mediafile.SoundStream{Codec: "opus"}, []byte{0x19, 1, 2, 3}, 0.120},
		"opus, six of 20 ms": {mediafile.SoundStream{Codec: "opus"}, []byte{0x7b, 6, 1, 2}, 0.120},
		"opus, far too many": {mediafile.SoundStream{Codec: "opus"}, []byte{0x1b, 63, 1, 2}, 0.120},
		"opus, 2.5 ms":       {mediafile.SoundStream{Codec: "opus"}, []byte{0x80, 1}, 0.0025},
		"flac":               {mediafile.SoundStream{Codec: "flac", Rate: 768_000}, flacFrame(9, 0), 4096.0 / 44100},
		"flac, two frames": {mediafile.SoundStream{Codec: "flac"}, append(flacFrame(9, 0), flacFrame(9, 1)...),
			8192.0 / 44100},
		"flac, 8 kHz": {mediafile.SoundStream{Codec: "flac", Rate: 192_000}, flacFrame(4, 0), 4096.0 / 8000},
		"alac": {mediafile.SoundStream{Codec: "alac", Rate: 192_000, Extra: alacCookie(44100)},
			make([]byte, 30), 4096.0 / 44100},
		"alac, a shorter one": {mediafile.SoundStream{Codec: "alac", Rate: 44100, Extra: alacCookie(44100)},
			[]byte{0, 0, 0x10, 0, 0, 2, 0, 0}, 256.0 / 44100},
		"mp3":                     {mediafile.SoundStream{Codec: "mp3", Rate: 8000}, mp3Frame(), 1152.0 / 44100},
		"mp3, ten in one packet":  {mediafile.SoundStream{Codec: "mp3"}, bytes.Repeat(mp3Frame(), 10), 11520.0 / 44100},
		"aac by its header":       {mediafile.SoundStream{Codec: "aac", Rate: 96_000}, adtsFrame(100), 1024.0 / 44100},
		"aac, five in one packet": {mediafile.SoundStream{Codec: "aac"}, bytes.Repeat(adtsFrame(100), 5), 5120.0 / 44100},
		"aac, 16 kHz": {mediafile.SoundStream{Codec: "aac", Rate: 96_000, Extra: []byte{0x14, 0x08}},
			make([]byte, 90), 1024.0 / 16000},
		"he-aac": {mediafile.SoundStream{Codec: "aac", Rate: 48_000, FrameSize: 2048,
			Extra: []byte{0x2b, 0x11, 0x88, 0, 0}}, make([]byte, 90), 1024.0 / 24000},
		"usac, 1024": {mediafile.SoundStream{Codec: "aac", Rate: 48_000, Extra: usacConfig(3, 3, 1)},
			make([]byte, 90), 1024.0 / 48000},
		"usac, 4096": {mediafile.SoundStream{Codec: "aac", Rate: 48_000, Extra: usacConfig(3, 3, 4)},
			make([]byte, 90), 4096.0 / 48000},
		"usac, another rate around it": {mediafile.SoundStream{Codec: "aac", Rate: 96_000, Extra: usacConfig(0, 12, 4)},
			make([]byte, 90), 4096.0 / 7350},
		"usac, no such length": {mediafile.SoundStream{Codec: "aac", Rate: 48_000, Extra: usacConfig(3, 3, 7)},
			make([]byte, 90), 4096.0 / 48000},
		"he-aac in loas": {mediafile.SoundStream{Codec: "aac_latm", Rate: 48_000, FrameSize: 2048}, loasFrame(100),
			1024.0 / 24000},
		"he-aac in loas, three at once": {mediafile.SoundStream{Codec: "aac_latm", Rate: 48_000},
			bytes.Repeat(loasFrame(100), 3), 3072.0 / 24000},
		"ac3": {mediafile.SoundStream{Codec: "ac3"}, []byte{0x0b, 0x77, 0, 0, 0x14, 0x40, 0x43},
			1536.0 / 48000},
		"pcm": {mediafile.SoundStream{Codec: "pcm_s16le", Rate: 8000, Channels: 1},
			make([]byte, 16000), 1},
		"mu-law":                 {mediafile.SoundStream{Codec: "pcm_mulaw", Rate: 8000, Channels: 1}, make([]byte, 8000), 1},
		"vorbis without headers": {mediafile.SoundStream{Codec: "vorbis", Rate: 48_000}, make([]byte, 20), 4096.0 / 48000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := mediafile.NewSoundMeter(c.stream)
			const packets = 50
			for range packets {
				m.Add(c.packet)
			}
			if got := m.Seconds() / packets; math.Abs(got-c.want) > c.want/100 {
				t.Errorf("%.6f s, want %.6f", got, c.want)
			}
		})
	}
	if mediafile.NewSoundMeter(mediafile.SoundStream{Codec: "wmav2"}) != nil {
		t.Error("a codec that nothing is known of is measured")
	}
}

// What cannot be read is as long as its bytes are at the codec's highest rate.
func TestUnreadablePacketsAreBounded(t *testing.T) {
	t.Parallel()
	for _, codec := range []string{"opus", "vorbis", "aac", "flac", "alac", "mp3", "ac3", "eac3", "pcm_s16le",
		"amr_nb"} {
		m := mediafile.NewSoundMeter(mediafile.SoundStream{Codec: codec, Rate: 8000, Channels: 1})
		junk := bytes.Repeat([]byte{0x01, 0xfe}, 50<<10)
		for range 100 {
			m.Add(junk)
		}
		if m.Seconds() < 10 {
			t.Errorf("%s: 10 MB are %f s", codec, m.Seconds())
		}
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	page := func(kind byte, body int) []byte {
		p := make([]byte, 27, 28+body)
		copy(p, "OggS")
		p[5], p[26] = kind, 1
		return append(append(p, byte(body)), make([]byte, body)...)
	}
	one := append(append(page(2, 10), page(0, 200)...), page(4, 100)...)
	if links, ok := mediafile.SoundLinks(one); len(links) != 1 || !ok {
		t.Error("one stream is several links")
	}
	two := append(append(page(2, 10), page(2, 10)...), page(0, 200)...)
	if links, _ := mediafile.SoundLinks(two); len(links) != 1 {
		t.Error("two streams at once are several links")
	}
	links, ok := mediafile.SoundLinks(append(append([]byte(nil), one...), two...))
	if !ok || len(links) != 2 || !bytes.Equal(links[0], one) || !bytes.Equal(links[1], two) {
		t.Errorf("%d links, %v", len(links), ok)
	}
	if _, ok := mediafile.SoundLinks(bytes.Repeat(one, 65)); ok {
		t.Error("any number of links is looked at")
	}
	if links, ok := mediafile.SoundLinks([]byte("no such file")); len(links) != 1 || !ok {
		t.Error("another file is no link")
	}
}

func FuzzMeter(f *testing.F) {
	for _, codec := range []string{"opus", "vorbis", "aac", "aac_latm", "flac", "alac", "mp3", "ac3", "eac3", "pcm_s24le",
		"amr_wb"} {
		f.Add(codec, alacCookie(44100), mp3Frame(), 44100, 2, 1024)
	}
	f.Add("aac", usacConfig(0, 31, 4), make([]byte, 20), 0, 0, 0)
	f.Add("aac_latm", []byte(nil), loasFrame(40), 48_000, 2, 2048)
	f.Add("flac", []byte("fLaC"), flacFrame(12, 1), 0, 0, 0)
	f.Add("aac", []byte{0x2b, 0x11, 0x88, 0, 0}, adtsFrame(30), 0, 0, 0)
	f.Fuzz(func(t *testing.T, codec string, extra, packet []byte, rate, channels, frame int) {
		m := mediafile.NewSoundMeter(mediafile.SoundStream{Codec: codec, Extra: extra, Rate: rate, Channels: channels,
			FrameSize: frame})
		if m == nil {
			return
		}
		before := 0.0
		for range 3 {
			m.Add(packet)
			now := m.Seconds()
			if math.IsNaN(now) || math.IsInf(now, 0) || now < before || len(packet) > 0 && now <= 0 {
				t.Fatalf("%f s after %f", now, before)
			}
			before = now
		}
	})
}

func FuzzLinks(f *testing.F) {
	f.Add([]byte("OggS"))
	f.Add(append([]byte("OggS\x00\x02"), make([]byte, 60)...))
	f.Fuzz(func(t *testing.T, file []byte) {
		links, ok := mediafile.SoundLinks(file)
		if ok && !bytes.Equal(bytes.Join(links, nil), file) {
			t.Fatal("bytes were lost")
		}
	})
}
