package segmenter_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/gateway/segmenter"
)

// target counts segments, and takes bytes until full.
type target struct {
	segments, closed, dropped, bytes, full int
}

func (t *target) Next() (segmenter.Output, error) { t.segments++; return t, nil }
func (t *target) Close() error                    { t.closed++; return nil }
func (t *target) Drop()                           { t.dropped++ }
func (t *target) Write(p []byte) (int, error) {
	if t.bytes += len(p); t.full > 0 && t.bytes > t.full {
		return 0, errors.New("full")
	}
	return len(p), nil
}

// play sends two seconds of 30 pictures, with a key frame each second, from a time on.
func play(s *segmenter.Segmenter, from int64) {
	for i := range int64(60) {
		kind := byte(0x41)
		if i%30 == 0 {
			kind = 0x65
		}
		s.Video(from+i*3000, from+i*3000, [][]byte{{kind, 0x88, 1, 2, 3}}, true)
	}
}

// Segments begin at key frames and are as long as they have to be, or end where the time jumps.
func TestSegments(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		times []int64
		want  int
	}{
		"time goes on":         {[]int64{0, 180000, 360000}, 3},
		"time begins again":    {[]int64{0, 0, 0}, 3},
		"time jumps ahead":     {[]int64{0, 9000000}, 2},
		"time jumps back once": {[]int64{9000000, 0, 180000}, 3},
	} {
		to := &target{}
		s := segmenter.New(segmenter.Options{Least: 2 * time.Second, Now: time.Now})
		s.SetParameters([]byte{0x67, 1}, []byte{0x68, 1})
		s.Video(0, 0, [][]byte{{0x41, 1}}, true) // without a target it goes nowhere
		s.Direct(to)
		s.Video(0, 0, [][]byte{{0x41, 1}}, true) // before the first key frame too
		for _, at := range c.times {
			play(s, at)
		}
		s.Finish()
		if to.segments != c.want || to.closed != c.want || to.dropped != 0 {
			t.Errorf("%s: %+v", name, to)
		}
	}
}

// A target that takes no more is given up, and says why.
func TestATargetThatIsFull(t *testing.T) {
	t.Parallel()
	to := &target{full: 4000}
	s := segmenter.New(segmenter.Options{Least: time.Second, Now: time.Now})
	s.Direct(to)
	play(s, 0)
	if _, _, failed := s.Last(); failed == nil || to.dropped != 1 || to.segments != 1 {
		t.Error(failed, to)
	}
}

// A parameter set that is larger than any is not put before each key frame.
func TestLargeParameterSetsAreNotRepeated(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(s *segmenter.Segmenter, sps, pps []byte){
		"in pictures": func(s *segmenter.Segmenter, sps, pps []byte) { s.Video(0, 0, [][]byte{sps, pps}, true) },
		"apart":       func(s *segmenter.Segmenter, sps, pps []byte) { s.SetParameters(sps, pps) },
	} {
		out := &target{}
		s := segmenter.New(segmenter.Options{Least: time.Hour, Now: time.Now})
		s.Direct(out)
		large := make([]byte, 1<<20)
		set(s, append([]byte{0x67}, large...), append([]byte{0x68}, large...))
		for n := range int64(10) {
			s.Video(n*3000, n*3000, [][]byte{{0x65, 0x88, 1, 2, 3}}, true)
		}
		if out.segments != 1 || out.bytes > 1<<20 {
			t.Errorf("%s: %d bytes in %d segments", name, out.bytes, out.segments)
		}
	}
}

// memory is a target that keeps the bytes, until it is gone.
type memory struct {
	data []byte
	gone bool
}

func (m *memory) Next() (segmenter.Output, error) { return m, nil }
func (m *memory) Close() error                    { return nil }
func (m *memory) Drop()                           {}
func (m *memory) Write(p []byte) (int, error) {
	if m.gone {
		return 0, errors.New("gone")
	}
	m.data = append(m.data, p...)
	return len(p), nil
}

// TestTheNextTargetGetsTheSegment: a target that is gone reports it at once, and the next one gets the segment from its
// beginning on, also what came meanwhile, unless it is old or had two targets.
func TestTheNextTargetGetsTheSegment(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	s := segmenter.New(segmenter.Options{Least: time.Hour, Keep: time.Second, Now: func() time.Time { return now }})
	pts := int64(0)
	picture := func(kind byte) {
		pts += 3000
		s.Video(pts, pts, [][]byte{{kind, 0x88, 1, 2, 3}}, true)
	}
	begin := func() *memory {
		m := &memory{}
		s.Direct(m)
		return m
	}
	leave := func(m *memory) {
		t.Helper()
		refused := s.Refused()
		m.gone = true
		picture(0x41)
		select {
		case <-refused:
		default:
			t.Fatal("it is not known that the target is gone")
		}
		s.Direct(nil)
		picture(0x41)
	}
	first := begin()
	picture(0x65)
	picture(0x41)
	had := len(first.data)
	leave(first)
	second := begin()
	all := had + 2*188 // two pictures came meanwhile
	if len(second.data) != all || string(second.data[:had]) != string(first.data) {
		t.Errorf("the second target got %d bytes, the first one %d", len(second.data), had)
	}
	picture(0x41)
	if len(second.data) <= all {
		t.Error("the segment does not go on")
	}
	leave(second)
	third := begin()
	picture(0x41)
	if len(third.data) != 0 {
		t.Error("a third target got a segment that two had")
	}
	picture(0x65)
	if len(third.data) == 0 {
		t.Error("the third target got no segment")
	}
	now = now.Add(2 * time.Second)
	leave(third)
	if old := begin(); len(old.data) != 0 {
		t.Error("an old segment was sent")
	}
	picture(0x65)
	s.Video(pts, pts, [][]byte{append([]byte{0x41}, make([]byte, 1<<20)...)}, true)
	s.Direct(nil)
	if large := begin(); len(large.data) != 0 {
		t.Error("a large segment was sent")
	}
}
