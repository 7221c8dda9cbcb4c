package coretest

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
)

// Engine is what the transcoder contract is about: an implementation of
// core.Transcoder that can be closed.
type Engine interface {
	core.Transcoder
	Close() error
}

// Clips is the media an engine is tried with.
type Clips struct {
	// Good are consecutive segments of one stream, at least three, landscape and
	// not smaller than 320×180.
	Good []Clip
	// Bad are bytes that the engine has to refuse with a fault.
	Bad []byte
}

// Clip is one segment.
type Clip struct {
	Data     []byte
	Duration time.Duration
}

// FakeClips suit Fake, which does not look at media.
func FakeClips() Clips {
	clips := Clips{Bad: []byte(FakeBad)}
	for i := range 4 {
		data := make([]byte, 1000+i)
		for j := range data {
			data[j] = byte(i + j)
		}
		clips.Good = append(clips.Good, Clip{Data: data, Duration: 2 * time.Second})
	}
	return clips
}

// ladder returns what the suite asks for: sizes that fall, so that order shows in
// the pixel counts.
func ladder() []core.Profile {
	return []core.Profile{
		{Name: "big", Width: 256, Height: 144, Bitrate: 300_000, Profile: core.ProfileConstrainedHigh},
		{Name: "mid", Width: 192, Height: 108, Bitrate: 200_000, Profile: core.ProfileMain},
		{Name: "low", Width: 160, Height: 90, Bitrate: 100_000, Profile: core.ProfileBaseline},
	}
}

func (c Clips) job(session core.SessionID, n int) *core.TranscodeJob {
	clip := c.Good[n%len(c.Good)]
	return &core.TranscodeJob{
		Session: session, Manifest: "manifest", Number: core.SegmentNumber(n),
		Input: clip.Data, Duration: clip.Duration, Profiles: ladder(), Origin: "offchain",
	}
}

// EngineContract runs the contract of core.Transcoder against the engines that
// open makes. Each part opens its own and closes it.
func EngineContract(t *testing.T, open func(testing.TB) Engine, clips Clips) {
	if len(clips.Good) < 3 || len(clips.Bad) == 0 {
		t.Fatal("the contract needs three good clips and a bad one")
	}
	for name, part := range map[string]func(*testing.T, Engine, Clips){
		"renditions in profile order":     renditionsInOrder,
		"again gives the same":            againGivesTheSame,
		"any order, with gaps":            anyOrder,
		"goes on after an error":          goesOnAfterAnError,
		"a canceled job fails":            canceledJobFails,
		"sessions can be ended":           sessionsCanBeEnded,
		"closed means closed":             closedMeansClosed,
		"sessions run side by side":       sessionsSideBySide,
		"the input stays the caller's":    inputStaysTheCallers,
		"profiles may change in mid-life": profilesMayChange,
	} {
		t.Run(name, func(t *testing.T) {
			e := open(t)
			defer e.Close()
			part(t, e, clips)
		})
	}
}
