package verify

import (
	"encoding/binary"
	"time"
)

// mp4Codecs are the sample entries of video that is counted, otherVideo those of
// video that is not. Read-only.
var (
	mp4Codecs  = map[string]string{"avc1": "h264", "avc3": "h264", "hvc1": "hevc", "hev1": "hevc"}
	otherVideo = map[string]bool{"vp08": true, "vp09": true, "av01": true, "mp4v": true, "vvc1": true, "vvi1": true,
		"encv": true}
)

// track is an MP4 file's first video track.
type track struct {
	id    uint32
	table []byte // the sample table's boxes
	units units
	// prefix is the number of bytes of each NAL unit's length.
	prefix int
	found  bool
	scale  uint32
	length time.Duration
	count  unitCount
}

// countMP4 reads a movie whose samples are listed in tables, in fragments, or both.
func countMP4(data []byte) (Video, error) {
	moov := ChildBox(data, "moov")
	if moov == nil {
		return Video{}, unreadable("it is an MP4 file without a movie box")
	}
	t := findTrack(moov)
	switch {
	case !t.found:
		return Video{}, nil
	case t.units == nil:
		return Video{}, unreadable("its video is neither H.264 nor HEVC")
	}
	r := &sampleReader{data: data, track: &t, left: len(data)}
	if err := r.tables(t.table); err != nil {
		return Video{}, err
	}
	defaults := fragmentDefaults(ChildBox(moov, "mvex"), t.id)
	var err error
	EachBox(data, func(kind string, body []byte, at int) {
		if kind == "moof" && err == nil {
			err = r.fragment(body, at, defaults)
		}
	})
	if err == nil {
		err = t.count.err()
	}
	return t.units.video(), err
}

func findTrack(moov []byte) (t track) {
	EachBox(moov, func(kind string, body []byte, _ int) {
		if kind != "trak" || t.found {
			return
		}
		entry, found := videoEntry(body)
		if !found {
			return
		}
		codec, counted := mp4Codecs[entry]
		table := BoxPath(body, "mdia", "minf", "stbl")
		t = track{id: trackID(ChildBox(body, "tkhd")), table: table, found: true}
		t.scale, t.length = trackLength(BoxPath(body, "mdia", "mdhd"))
		// Transcoders go by the samples' times; the header may say anything.
		if ticks := sampleTicks(ChildBox(table, "stts"), samplesOf(table)); ticks > 0 && t.scale > 0 {
			t.length = seconds(ticks / float64(t.scale))
		}
		if counted {
			t.units = newUnits(codec)
			t.describe(ChildBox(table, "stsd")[8:], codec)
		}
	})
	return t
}

// videoEntry returns the kind of the first sample entry of a track, if the track is video.
func videoEntry(trak []byte) (kind string, found bool) {
	stsd := BoxPath(trak, "mdia", "minf", "stbl", "stsd")
	if len(stsd) < 16 {
		return "", false
	}
	kind = string(stsd[12:16])
	return kind, mp4Codecs[kind] != "" || otherVideo[kind]
}

func trackID(tkhd []byte) uint32 {
	at := 12
	if len(tkhd) > 0 && tkhd[0] == 1 {
		at = 20 // times of 64 bits
	}
	if len(tkhd) < at+4 {
		return 0
	}
	return binary.BigEndian.Uint32(tkhd[at:])
}

// describe reads the parameter sets of all sample entries.
func (t *track) describe(entries []byte, codec string) {
	const header = 78 // of a visual entry, after its box's
	EachBox(entries, func(_ string, body []byte, _ int) {
		if len(body) < header {
			return
		}
		if codec == "h264" {
			t.avcC(ChildBox(body[header:], "avcC"))
		} else {
			t.hvcC(ChildBox(body[header:], "hvcC"))
		}
	})
}

func (t *track) avcC(b []byte) {
	if len(b) < 6 {
		return
	}
	t.prefix = int(b[4]&3) + 1
	count, b := int(b[5]&0x1f), b[6:]
	b = t.sets(count, b)
	if len(b) > 0 {
		t.sets(int(b[0]), b[1:])
	}
}

func (t *track) hvcC(b []byte) {
	if len(b) < 23 {
		return
	}
	t.prefix = int(b[21]&3) + 1
	arrays, b := int(b[22]), b[23:]
	for ; arrays > 0 && len(b) >= 3; arrays-- {
		b = t.sets(int(binary.BigEndian.Uint16(b[1:])), b[3:])
	}
}

// sets reads parameter sets with their lengths and returns what follows.
func (t *track) sets(count int, b []byte) []byte {
	for ; count > 0 && len(b) >= 2; count-- {
		n := min(int(binary.BigEndian.Uint16(b)), len(b)-2)
		t.units.unit(head(b[2 : 2+n]))
		b = b[2+n:]
	}
	return b
}

// sample takes the NAL units of one sample.
func (t *track) sample(b []byte) {
	t.units.begin()
	for t.prefix > 0 && len(b) > t.prefix && t.count.allow() {
		n := 0
		for _, c := range b[:t.prefix] {
			n = n<<8 | int(c)
		}
		b = b[t.prefix:]
		n = min(n, len(b))
		t.units.unit(head(b[:n]))
		b = b[n:]
	}
}
