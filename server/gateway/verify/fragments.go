package verify

import (
	"encoding/binary"
)

// Flags of the boxes of a fragment: which of their fields are there.
const (
	tfhdBase, tfhdDescription, tfhdDuration, tfhdSize = 0x1, 0x2, 0x8, 0x10

	trunOffset, trunFirstFlags                     = 0x1, 0x4
	trunDuration, trunSize, trunFlags, trunShifted = 0x100, 0x200, 0x400, 0x800
)

// fragmentDefaults returns the default sample size of a track.
func fragmentDefaults(mvex []byte, id uint32) (size uint32) {
	EachBox(mvex, func(kind string, body []byte, _ int) {
		if kind == "trex" && len(body) >= 20 && binary.BigEndian.Uint32(body[4:]) == id {
			size = binary.BigEndian.Uint32(body[16:])
		}
	})
	return size
}

// fragment reads the samples of the track in one fragment, which begins at the
// offset at of the file.
func (r *sampleReader) fragment(moof []byte, at int, size uint32) error {
	var err error
	EachBox(moof, func(kind string, traf []byte, _ int) {
		if kind == "traf" && err == nil {
			err = r.trackFragment(traf, uint64(at), size)
		}
	})
	return err
}

func (r *sampleReader) trackFragment(traf []byte, base uint64, size uint32) error {
	f := fields{b: ChildBox(traf, "tfhd")}
	flags := f.u32() & 0xffffff
	if id := f.u32(); f.short || id != r.track.id {
		return nil
	}
	if flags&tfhdBase != 0 {
		base = uint64(f.u32())<<32 | uint64(f.u32())
	}
	f.skip(flags, tfhdDescription, tfhdDuration)
	if flags&tfhdSize != 0 {
		size = f.u32()
	}
	if f.short {
		return unreadable("a fragment's header is cut short")
	}
	next := base
	var err error
	EachBox(traf, func(kind string, trun []byte, _ int) {
		if kind == "trun" && err == nil {
			next, err = r.run(trun, base, next, size)
		}
	})
	return err
}

// run reads one run of samples. It begins at its own offset from base, or at next
// without one. run returns its end.
func (r *sampleReader) run(trun []byte, base, next uint64, size uint32) (uint64, error) {
	f := fields{b: trun}
	flags := f.u32() & 0xffffff
	count := f.u32()
	if flags&trunOffset != 0 {
		next = base + uint64(int64(int32(f.u32())))
	}
	f.skip(flags, trunFirstFlags)
	for ; count > 0; count-- {
		f.skip(flags, trunDuration)
		own := size
		if flags&trunSize != 0 {
			own = f.u32()
		}
		f.skip(flags, trunFlags, trunShifted)
		if f.short {
			return next, unreadable("a fragment's list of samples is cut short")
		}
		if err := r.take(next, own); err != nil {
			return next, err
		}
		next += uint64(own)
	}
	return next, nil
}

// fields reads 32-bit numbers one after another.
type fields struct {
	b     []byte
	short bool
}

func (f *fields) u32() uint32 {
	if len(f.b) < 4 {
		f.short = true
		return 0
	}
	v := binary.BigEndian.Uint32(f.b)
	f.b = f.b[4:]
	return v
}

// skip skips one field for each of these flags that is set.
func (f *fields) skip(flags uint32, each ...uint32) {
	for _, bit := range each {
		if flags&bit != 0 {
			f.u32()
		}
	}
}
