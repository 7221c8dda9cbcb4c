package libav_test

import (
	"bytes"
	"testing"

	"github.com/tuttinode/tutti/core"
)

func TestMetadata(t *testing.T) {
	t.Parallel()
	j := job(segment(t), small("ts", nil), small("mp4", func(p *core.Profile) { p.Format = core.FormatMP4 }))
	j.Origin = "0x00000000000000000000000000000000000000aa"
	got := run(t, engine(t), j)
	const tag = "Livepeer Transcoder 0.0.0-test (0x00000000000000000000000000000000000000aa)"
	if tags := verify(t, got.Renditions[0].Data).Tags; tags["service_provider"] != tag {
		t.Errorf("MPEG-TS: %q", tags)
	}
	mp4 := got.Renditions[1].Data
	if tags := verify(t, mp4).Tags; tags["comment"] != "Processed by "+tag {
		t.Errorf("MP4: %q", tags)
	}
	if moov, mdat := bytes.Index(mp4, []byte("moov")), bytes.Index(mp4, []byte("mdat")); moov < 0 || moov > mdat {
		t.Errorf("index at %d, media at %d", moov, mdat)
	}
}
