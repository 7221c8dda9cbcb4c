package mediafile_test

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/transcoder/libav/mediafile"
)

func TestSoundOfTwoReadings(t *testing.T) {
	t.Parallel()
	const mp3, adts = "\xff\xfb\x90\x64", "\xff\xf1\x50\x80"
	frames := strings.Repeat(mp3+strings.Repeat("x", 414), 20)
	tag := "ID3\x04\x00\x00\x00\x00\x00\x05title"
	pack, sound := "\x00\x00\x01\xba"+strings.Repeat("y", 10), "\x00\x00\x01\xc0"+strings.Repeat("y", 100)
	for name, tc := range map[string]struct {
		data string
		want bool
	}{
		"MP3":                {frames, true},
		"ADTS":               {adts + "x", true},
		"a tag before it":    {tag + frames, true},
		"two tags and zeros": {tag + tag + strings.Repeat("\x00", 500) + frames, true},
		"a tag with a footer": {"ID3\x04\x00\x10\x00\x00\x00\x05title3DI\x04\x00\x10\x00\x00\x00\x05" +
			frames, true},
		"a tag after it":                {frames + "TAG" + strings.Repeat(" ", 125), true},
		"some start codes by chance":    {frames + strings.Repeat("\x00\x00\x01\xc0zz", 3), true},
		"other start codes":             {frames + strings.Repeat("\x00\x00\x01\x09zz", 50), true},
		"a CAF file around it":          {"caff\x00\x01\x00\x00free\x00\x00\x00\x00\x00\x00\x00\x99" + frames, false},
		"an AVI file after a tag":       {tag + "RIFF\x00\x00\x00\x00AVI LIST" + frames, false},
		"AMR before it":                 {"#!AMR\n" + frames, false},
		"a program stream after it":     {frames + strings.Repeat(pack+sound, 3), false},
		"packets without packs":         {frames + strings.Repeat(sound, 13), false},
		"a tag alone":                   {tag, false},
		"a tag that is longer":          {"ID3\x04\x00\x00\x7f\x7f\x7f\x7f" + frames, false},
		"nothing":                       {"", false},
		"start codes at the very end":   {frames + "\x00\x00\x01", true},
		"a start code across the limit": {frames + strings.Repeat("\x00\x00\x01\xba", 4), false},
	} {
		if got := mediafile.OneReading("mp3", []byte(tc.data)); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	packets := strings.Repeat("G"+strings.Repeat("x", 187), 3)
	for data, want := range map[string]bool{packets: true, "caff" + packets: false, "x" + packets[1:]: false, "G": false} {
		if got := mediafile.OneReading("mpegts", []byte(data)); got != want {
			t.Errorf("MPEG-TS %.10q: %v", data, got)
		}
	}
	if !mediafile.OneReading("wav", []byte("RIFF")) {
		t.Error("a container that begins with its name has one reading")
	}
}
