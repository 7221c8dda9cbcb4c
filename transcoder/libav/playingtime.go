package libav

import (
	"context"
	"slices"
	"time"

	"github.com/asticode/go-astiav"

	"github.com/tuttinode/tutti/transcoder/libav/mediafile"
)

// maxPlayingTime returns the longest plausible playing time of sound whose header states d. For
// containers without a duration, d is an estimate from the bit rate.
func maxPlayingTime(d time.Duration, container string) time.Duration {
	if rawAudio[container] {
		return d + d/4 + time.Second
	}
	return d + d/50 + time.Second/2
}

// soundTrack is one stream of sound while it is measured.
type soundTrack struct {
	meter *mediafile.SoundMeter
	// end is where in the file its last packet ended, 0 while that is not known.
	end int64
}

// played returns the playing time of the longest audio stream, measured by packets and not by the
// container: players differ in the stream that they choose. It reads the input to its end, or
// until ctx ends, and decodes nothing. It is false for a codec that cannot be measured.
func (in *input) played(ctx context.Context, size int) (time.Duration, bool) {
	packet := astiav.AllocPacket()
	tracks, ok := in.tracks()
	if packet == nil || !ok {
		return 0, false
	}
	defer packet.Free()
	for ctx.Err() == nil && in.file.ReadFrame(packet) == nil {
		if t := tracks[packet.StreamIndex()]; t != nil && packet.Size() > 0 {
			t.meter.Add(packet.Data())
			t.end = max(t.end, packet.Pos()+int64(packet.Size()))
		}
		packet.Unref()
	}
	var longest float64
	for _, t := range tracks {
		longest = max(longest, t.seconds(in.container(), int64(size)))
	}
	const most = 1e6 // seconds
	return time.Duration(min(longest, most) * float64(time.Second)), true
}

// hasSound reports whether there is any audio stream: players may have decoders that this
// build lacks.
func (in *input) hasSound() bool {
	return slices.ContainsFunc(in.file.Streams(), func(s *astiav.Stream) bool {
		return s.CodecParameters().MediaType() == astiav.MediaTypeAudio
	})
}

// tracks makes the demuxer read every audio stream, false where one cannot be measured.
func (in *input) tracks() (map[int]*soundTrack, bool) {
	tracks := make(map[int]*soundTrack)
	for _, s := range in.file.Streams() {
		p := s.CodecParameters()
		if p.MediaType() != astiav.MediaTypeAudio {
			continue
		}
		s.SetDiscard(astiav.DiscardDefault)
		layout := p.ChannelLayout()
		m := mediafile.NewSoundMeter(mediafile.SoundStream{
			Codec: p.CodecID().Name(), Extra: p.ExtraData(), Rate: p.SampleRate(), Channels: layout.Channels(),
			FrameSize: p.FrameSize(),
		})
		if m == nil {
			return nil, false
		}
		tracks[s.Index()] = &soundTrack{meter: m}
	}
	return tracks, true
}

// soundContainers are audio-only containers, which players read to the end of the file
// regardless of headers and damage. Read-only.
var soundContainers = map[string]bool{"mp3": true, "aac": true, "flac": true, "ogg": true, "wav": true}

// seconds returns for how long the track plays in a file of a size. Where more than tags can take
// is left unread of an audio-only file, the time is scaled up to the file's size.
func (t *soundTrack) seconds(container string, size int64) float64 {
	s := t.meter.Seconds()
	const tags = 1 << 20
	if left := size - t.end; soundContainers[container] && t.end > 0 && left > tags && left > t.end {
		s *= float64(size) / float64(t.end)
	}
	return s
}

// soundLength returns the playing time of a file's sound. A chained Ogg file is measured link by
// link. It is false when the length is unknown.
func soundLength(ctx context.Context, in *input, data []byte) (sum time.Duration, ok bool) {
	if in.container() != "ogg" {
		return in.played(ctx, len(data))
	}
	links, ok := mediafile.SoundLinks(data)
	if len(links) == 1 {
		return in.played(ctx, len(data))
	}
	for _, link := range links {
		d, measured := linkLength(ctx, link)
		sum, ok = sum+d, ok && measured
	}
	return sum, ok
}

func linkLength(ctx context.Context, link []byte) (time.Duration, bool) {
	in, err := openInput(link)
	if err != nil {
		return 0, false
	}
	defer in.close()
	return in.played(ctx, len(link))
}
