package libav

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"time"

	"github.com/asticode/go-astiav"

	"github.com/tuttinode/tutti/transcoder/libav/mediafile"
)

// FileReport describes the content of a file, found by reading all of it and decoding
// every frame. Demonstrations and tests check renditions with it.
type FileReport struct {
	// Container is libav's name of it.
	Container string
	Duration  time.Duration
	// Tags are the file's metadata.
	Tags map[string]string
	// Video and Audio are nil when the file has no such stream.
	Video *VideoReport
	Audio *AudioReport
}

// VideoReport describes the video stream.
type VideoReport struct {
	Codec, PixelFormat string
	// Profile is libav's number: 66 baseline, 77 main, 100 high.
	Profile int
	// Reordered is how many frames have to be held back, 0 without B-frames.
	Reordered int
	// RateNum and RateDen are the average frame rate.
	RateNum, RateDen int
	// BaseNum and BaseDen are the time base of the packets and frames, in seconds per tick.
	BaseNum, BaseDen int64
	Packets          []PacketReport
	Frames           []FrameInfo
}

// AudioReport describes the audio stream.
type AudioReport struct {
	Codec            string
	SampleRate       int
	Channels         int
	BaseNum, BaseDen int64
	Packets          []PacketReport
}

// PacketReport is one packet, in the order of the file.
type PacketReport struct {
	PTS, DTS int64
	Key      bool
	// MD5 of the payload in hexadecimal, without the ADTS header that AAC has in
	// some containers and not in others.
	MD5 string
}

// FrameInfo is one decoded frame, in the order of presentation.
type FrameInfo struct {
	PTS           int64
	Width, Height int
	// SampleAspectRatio is 0:1 where it is unknown.
	SampleAspectRatio [2]int
	// Colors are range, primaries, transfer and matrix, as libav numbers them.
	Colors [4]int
	Key    bool
	// Damaged says that the decoder had to conceal errors.
	Damaged bool
	// Captions is the number of bytes of closed captions.
	Captions int
}

// KeyPackets counts the packets that decoding may begin at.
func (v *VideoReport) KeyPackets() int {
	n := 0
	for _, p := range v.Packets {
		if p.Key {
			n++
		}
	}
	return n
}

// Pixels returns the sum over all frames of width × height.
func (v *VideoReport) Pixels() int64 {
	var n int64
	for _, f := range v.Frames {
		n += int64(f.Width) * int64(f.Height)
	}
	return n
}

// Inspect reads and decodes a whole file. Its errors are faults like those of
// Engine.Transcode.
func Inspect(ctx context.Context, data []byte) (*FileReport, error) {
	setUpProcess()
	in, err := openInput(data)
	if err != nil {
		return nil, err
	}
	defer in.close()
	r := &FileReport{Container: in.container(), Duration: in.duration(), Tags: tagsOf(in)}
	if in.audio != nil {
		p := in.audio.CodecParameters()
		b := base(in.audio)
		r.Audio = &AudioReport{
			Codec: p.CodecID().Name(), SampleRate: p.SampleRate(), Channels: p.ChannelLayout().Channels(),
			BaseNum: b.Num, BaseDen: b.Den,
		}
	}
	if in.video != nil {
		p := in.video.CodecParameters()
		b, rate := base(in.video), in.video.AvgFrameRate()
		r.Video = &VideoReport{
			Codec: p.CodecID().Name(), PixelFormat: p.PixelFormat().Name(), Profile: int(p.Profile()),
			RateNum: rate.Num(), RateDen: rate.Den(), BaseNum: b.Num, BaseDen: b.Den,
		}
	}
	return r, r.read(ctx, in)
}

func tagsOf(in *input) map[string]string {
	tags := make(map[string]string)
	collect := func(d *astiav.Dictionary) {
		if d == nil {
			return
		}
		var e *astiav.DictionaryEntry
		for {
			if e = d.Get("", e, astiav.NewDictionaryFlags(astiav.DictionaryFlagIgnoreSuffix)); e == nil {
				return
			}
			tags[e.Key()] = e.Value()
		}
	}
	collect(in.file.Metadata())
	for _, p := range in.file.Programs() {
		collect(p.Metadata())
	}
	return tags
}

func (r *FileReport) read(ctx context.Context, in *input) error {
	d, err := newDecoder(in, 1)
	if err != nil {
		return err
	}
	defer d.close()
	d.onVideo = func(p *astiav.Packet) { r.Video.Packets = append(r.Video.Packets, packetReport(p)) }
	err = d.run(ctx, func(p decodedFrame) error {
		defer p.frame.Free()
		pts := p.info.pts
		if pts == mediafile.NoTime {
			pts = p.info.guess
		}
		r.Video.Frames = append(r.Video.Frames, FrameInfo{
			PTS: pts, Width: p.info.width, Height: p.info.height,
			SampleAspectRatio: [2]int{p.info.sar.Num(), p.info.sar.Den()}, Colors: colorsOf(p.info.color), Key: p.info.key,
			Damaged: p.info.corrupt, Captions: captionBytes(p.frame),
		})
		return nil
	})
	if err != nil {
		return err
	}
	if d.c != nil {
		r.Video.Reordered = reorderDepth(d.c)
	}
	for _, p := range d.audio {
		r.Audio.Packets = append(r.Audio.Packets, packetReport(p))
	}
	return nil
}

func colorsOf(c color) [4]int { return [4]int{c.codedRange, c.primaries, c.transfer, c.space} }

func packetReport(p *astiav.Packet) PacketReport {
	sum := md5.Sum(withoutADTS(p.Data()))
	return PacketReport{
		PTS: p.Pts(), DTS: p.Dts(), Key: p.Flags().Has(astiav.PacketFlagKey),
		MD5: hex.EncodeToString(sum[:]),
	}
}

// withoutADTS cuts the header off an AAC frame: seven bytes, nine with a checksum.
func withoutADTS(b []byte) []byte {
	switch {
	case len(b) < 9 || b[0] != 0xff || b[1]&0xf6 != 0xf0:
		return b
	case b[1]&1 == 0:
		return b[9:]
	}
	return b[7:]
}
