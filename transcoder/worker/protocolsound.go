package worker

import "github.com/tuttinode/tutti/core"

// SoundMessage is sound to be converted.
type SoundMessage struct {
	// Place is where it is.
	Place InputPlace
	To    core.SoundFormat
	// Limit is the length of the longest answer, in bytes.
	Limit int64
}

// EncodeSound makes the message of sound to be converted.
func EncodeSound(s SoundMessage) []byte {
	var e encoder
	e.place(s.Place)
	e.num(int64(s.To))
	e.num(s.Limit)
	return e.b
}

// DecodeSound reads it.
func DecodeSound(b []byte) (SoundMessage, error) {
	d := decoder{b: b}
	s := SoundMessage{Place: d.place(), To: core.SoundFormat(d.within("a sound's format", 0, 1<<8)),
		Limit: d.within("a limit", 0, maxResultSize)}
	if !s.To.Valid() {
		d.fail("an unknown format of sound")
	}
	return s, d.end()
}
