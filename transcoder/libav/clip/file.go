package clip

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/asticode/go-astiav"
)

// File is a Source that cuts a media file at its key frames without transcoding. The file is
// the operator's own, named on the command line, not a peer's.
type File struct {
	path    string
	segment time.Duration
	loop    bool

	in     *astiav.FormatContext
	tracks map[int]int // input stream index → output stream index
	params []*astiav.CodecParameters
	video  int
	packet *astiav.Packet
	held   bool

	number int
	// shift moves the file's times so that repetitions follow one another.
	shift, last int64
	begun       bool
}

var _ Source = (*File)(nil)

// OpenFile opens a media file with a video stream that MPEG-TS can carry (H.264,
// HEVC, MPEG-2). Segments last at least the given time and end at the next key
// frame; with loop the file starts over at its end.
func OpenFile(path string, segment time.Duration, loop bool) (*File, error) {
	quiet()
	f := &File{path: path, segment: segment, loop: loop, packet: astiav.AllocPacket(), shift: firstTick}
	if err := f.open(); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (f *File) open() error {
	f.in = astiav.AllocFormatContext()
	if err := f.in.OpenInput(f.path, nil, nil); err != nil {
		f.in.Free()
		f.in = nil
		return fmt.Errorf("open %s: %w", f.path, err)
	}
	if err := f.in.FindStreamInfo(nil); err != nil {
		return fmt.Errorf("read stream information of %s: %w", f.path, err)
	}
	f.tracks, f.params = map[int]int{}, nil
	video, _, err := f.in.FindBestStream(astiav.MediaTypeVideo, -1, -1)
	if err != nil {
		return fmt.Errorf("%s holds no video: %w", f.path, err)
	}
	switch id := video.CodecParameters().CodecID(); id {
	case astiav.CodecIDH264, astiav.CodecIDHevc, astiav.CodecIDMpeg2Video:
	default:
		return fmt.Errorf("%s: MPEG-TS cannot carry its %s video; give H.264, HEVC or MPEG-2", f.path, id)
	}
	f.video = video.Index()
	f.add(video)
	if audio, _, err := f.in.FindBestStream(astiav.MediaTypeAudio, -1, video.Index()); err == nil {
		f.add(audio)
	}
	return nil
}

func (f *File) add(s *astiav.Stream) {
	f.tracks[s.Index()] = len(f.params)
	f.params = append(f.params, s.CodecParameters())
}

// Next cuts the next segment.
func (f *File) Next(ctx context.Context) (Segment, error) {
	if err := f.toKeyFrame(ctx); err != nil {
		return Segment{}, err
	}
	file, err := newTSFile(f.params)
	if err != nil {
		return Segment{}, err
	}
	frames, first, err := f.copyUntilCut(ctx, file)
	if err != nil {
		file.close()
		return Segment{}, err
	}
	data, err := file.finish()
	if err != nil {
		return Segment{}, err
	}
	s := Segment{Number: f.number, Data: data, Frames: frames, Duration: playTime(max(f.last-first, 1))}
	f.number++
	return s, nil
}

// copyUntilCut copies packets to file until the key frame of the next segment,
// which it keeps, or the end of the input.
func (f *File) copyUntilCut(ctx context.Context, file *tsFile) (frames int, first int64, err error) {
	first = astiav.NoPtsValue
	for {
		if err := f.read(ctx); err != nil {
			if errors.Is(err, io.EOF) && frames > 0 {
				return frames, first, nil
			}
			return 0, 0, err
		}
		if f.packet.StreamIndex() == f.video {
			key := f.packet.Flags().Has(astiav.PacketFlagKey)
			if frames > 0 && key && playTime(f.packet.Dts()-first) >= f.segment-20*time.Millisecond {
				f.last, f.held = f.packet.Dts(), true
				return frames, first, nil
			}
			if frames == 0 {
				first = f.packet.Dts()
			}
			frames++
			f.last = f.packet.Dts() + max(f.packet.Duration(), 1)
		}
		if err := file.write(f.packet, f.tracks[f.packet.StreamIndex()], ticks()); err != nil {
			return 0, 0, fmt.Errorf("cut %s: %w", f.path, err)
		}
	}
}

// toKeyFrame skips what comes before the first key frame.
func (f *File) toKeyFrame(ctx context.Context) error {
	for {
		if err := f.read(ctx); err != nil {
			if errors.Is(err, io.EOF) && f.loop && f.number > 0 {
				if err := f.reopen(); err != nil {
					return err
				}
				continue
			}
			return err
		}
		if f.packet.StreamIndex() == f.video && f.packet.Flags().Has(astiav.PacketFlagKey) {
			f.held = true
			return nil
		}
	}
}

func (f *File) reopen() error {
	f.in.CloseInput()
	f.in.Free()
	f.in, f.begun = nil, false
	return f.open()
}

// read gives the next packet of a wanted stream, its times in ticks and shifted.
func (f *File) read(ctx context.Context) error {
	if f.held {
		f.held = false
		return nil
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		f.packet.Unref()
		if err := f.in.ReadFrame(f.packet); err != nil {
			if errors.Is(err, astiav.ErrEof) {
				return io.EOF
			}
			return fmt.Errorf("read %s: %w", f.path, err)
		}
		if _, wanted := f.tracks[f.packet.StreamIndex()]; !wanted {
			continue
		}
		f.packet.RescaleTs(f.in.Streams()[f.packet.StreamIndex()].TimeBase(), ticks())
		if f.packet.Dts() == astiav.NoPtsValue {
			f.packet.SetDts(f.packet.Pts())
		}
		if f.packet.Pts() == astiav.NoPtsValue {
			f.packet.SetPts(f.packet.Dts())
		}
		if !f.begun {
			f.begun = true
			f.shift = max(f.last, firstTick) - f.packet.Dts()
		}
		f.packet.SetPts(f.packet.Pts() + f.shift)
		f.packet.SetDts(f.packet.Dts() + f.shift)
		f.packet.SetPos(-1)
		return nil
	}
}

// Close frees the input.
func (f *File) Close() {
	if f.in != nil {
		f.in.CloseInput()
		f.in.Free()
		f.in = nil
	}
	if f.packet != nil {
		f.packet.Free()
		f.packet = nil
	}
}
