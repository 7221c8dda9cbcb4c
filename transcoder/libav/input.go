package libav

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/asticode/go-astiav"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/libav/mediafile"
)

// containers are the demuxers that may read a segment. None of them can open
// another file or address.
const containers = "mpegts,mov,mp4,m4a,3gp,3g2,mj2,flv,matroska,webm,mp3,wav,flac,aac,ogg"

// noProtocols is a list without any protocol's name: whatever a file refers to
// stays closed.
const noProtocols = "none"

// input is an opened segment.
type input struct {
	file  *astiav.FormatContext
	io    *astiav.IOContext
	video *astiav.Stream // nil when there is none
	audio *astiav.Stream // nil when there is none
	// fragmented says that it is an MP4 file in fragments.
	fragmented bool
}

// openInput opens a segment and chooses its streams. The caller closes the input,
// and keeps data alive and unchanged until then.
func openInput(data []byte) (*input, error) {
	const op = "open segment"
	if len(data) == 0 {
		return nil, fault.New(fault.EmptyData, op, "the segment has no bytes")
	}
	in := &input{fragmented: mediafile.Fragmented(data)}
	data = mediafile.PrependPSI(data)
	var err error
	if in.io, err = newReader(data); err != nil {
		return nil, failed(op, err)
	}
	if in.file = astiav.AllocFormatContext(); in.file == nil {
		in.close()
		return nil, failed(op, errENOMEM)
	}
	in.file.SetPb(in.io)
	options := dictionary(map[string]string{
		"format_whitelist":   containers,
		"protocol_whitelist": noProtocols,
		"max_streams":        "64",
		"enable_drefs":       "0",
		"scan_all_pmts":      "1",
	})
	defer options.Free()
	if err = in.file.OpenInput("", nil, options); err != nil {
		in.file = nil // libav freed it
		in.close()
		if errors.Is(err, errEINVAL) { // recognized, and not on the list
			err = astiav.ErrDemuxerNotFound
		}
		return nil, failed(op, err)
	}
	if err = in.file.FindStreamInfo(nil); err != nil {
		in.close()
		return nil, failed(op, err)
	}
	in.chooseStreams()
	return in, nil
}

// chooseStreams picks the best video and audio stream. A cover image is no
// video; data streams are left alone.
func (in *input) chooseStreams() {
	related := -1
	if s, _, err := in.file.FindBestStream(astiav.MediaTypeVideo, -1, -1); err == nil &&
		!s.DispositionFlags().Has(astiav.DispositionFlagAttachedPic) {
		in.video, related = s, s.Index()
	}
	if s, _, err := in.file.FindBestStream(astiav.MediaTypeAudio, -1, related); err == nil {
		in.audio = s
	}
	for _, s := range in.file.Streams() {
		if !isStream(s, in.video) && !isStream(s, in.audio) {
			s.SetDiscard(astiav.DiscardAll)
		}
	}
}

func isStream(s, chosen *astiav.Stream) bool { return chosen != nil && s.Index() == chosen.Index() }

// duration returns the playing time the container states, 0 when it states none.
func (in *input) duration() time.Duration {
	if in.fragmented {
		return in.fragmentsDuration()
	}
	if d := in.file.Duration(); d > 0 {
		return time.Duration(min(d, int64(1e12))) * time.Microsecond
	}
	return 0
}

// fragmentsDuration returns the playing time of fragments, 0 when it is not known. The
// container states where each track ends, from the beginning of a stream of which the
// file may be a late part.
func (in *input) fragmentsDuration() (longest time.Duration) {
	for _, s := range in.file.Streams() {
		begin, end := s.StartTime(), s.Duration()
		if begin == mediafile.NoTime || end == mediafile.NoTime || end <= begin {
			continue
		}
		ticks := mediafile.Rescale(end-begin, base(s), mediafile.TimeBase{Num: 1, Den: int64(time.Second)})
		longest = max(longest, time.Duration(ticks))
	}
	return longest
}

// checkDuration refuses files that play longer than the network allows.
func (in *input) checkDuration() error {
	if d := in.duration(); d > core.MaxSegmentDuration {
		return fault.New(fault.TranscoderInvalidDuration, "open segment", fmt.Sprintf("plays for %s", d.Round(time.Second)))
	}
	return nil
}

// checkAudio refuses sound that a rendition could not carry: it is copied, and a muxer
// would write what it has no name for as private data.
func (in *input) checkAudio(profiles []core.Profile) error {
	codec := in.audioCodec()
	if codec == "" {
		return nil
	}
	for _, p := range profiles {
		if in.audio == nil || !p.Format.CarriesAudio(codec) {
			return fault.New(fault.AudioNotCarried, "open segment",
				fmt.Sprintf("audio codec %s cannot be carried in %s", codec, p.Format))
		}
	}
	return nil
}

// audioCodec returns the codec of the segment's sound, "" when there is none. Where no
// stream is usable it is that of one without a decoder, whose sample rate is unknown.
func (in *input) audioCodec() string {
	if in.audio != nil {
		return in.audio.CodecParameters().CodecID().Name()
	}
	for _, s := range in.file.Streams() {
		p := s.CodecParameters()
		if id := p.CodecID(); p.MediaType() == astiav.MediaTypeAudio && id != astiav.CodecIDNone &&
			astiav.FindDecoder(id) == nil {
			return id.Name()
		}
	}
	return ""
}

// isMPEGTS reports whether the segment's clock is the 33-bit one of MPEG-TS.
func (in *input) isMPEGTS() bool { return in.file.InputFormat().Name() == "mpegts" }

// container returns the name of the container, as libav spells it.
func (in *input) container() string { return in.file.InputFormat().Name() }

// frameRate returns the source's rate, 0/1 when nothing sensible is known.
func (in *input) frameRate() astiav.Rational {
	r := in.file.GuessFrameRate(in.video, nil)
	if r.Num() <= 0 || r.Den() <= 0 || r.Float64() < 0.1 || r.Float64() > 1000 {
		return astiav.NewRational(0, 1)
	}
	return r
}

func (in *input) close() {
	if in.file != nil {
		in.file.CloseInput()
		in.file = nil
	}
	if in.io != nil {
		in.io.Free()
		in.io = nil
	}
}

// base returns a stream's time base in our own form.
func base(s *astiav.Stream) mediafile.TimeBase {
	r := s.TimeBase()
	if r.Num() <= 0 || r.Den() <= 0 {
		return mediafile.MPEGClock
	}
	return mediafile.TimeBase{Num: int64(r.Num()), Den: int64(r.Den())}
}

func rational(b mediafile.TimeBase) astiav.Rational {
	return astiav.NewRational(int(b.Num), int(b.Den))
}

// dictionary makes libav's form of a set of options; the caller frees it.
func dictionary(options map[string]string) *astiav.Dictionary {
	d := astiav.NewDictionary()
	for k, v := range options {
		// Set fails only when memory is out, and then the next call fails too.
		_ = d.Set(k, v, astiav.NewDictionaryFlags())
	}
	return d
}

// unknownOptions names the options that libav left in a dictionary because no
// part of it knows them.
func unknownOptions(d *astiav.Dictionary) string {
	var names []string
	var e *astiav.DictionaryEntry
	for {
		if e = d.Get("", e, astiav.NewDictionaryFlags(astiav.DictionaryFlagIgnoreSuffix)); e == nil {
			return strings.Join(names, ",")
		}
		names = append(names, e.Key())
	}
}
