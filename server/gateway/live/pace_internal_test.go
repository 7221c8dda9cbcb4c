package live

import (
	"context"
	"errors"
	"testing"

	"github.com/pion/webrtc/v4"
)

// A viewer that is due a whole segment gets it with pauses, and none after a few packets; one that leaves meanwhile
// gets no more.
func TestASegmentIsSentWithPauses(t *testing.T) {
	t.Parallel()
	track, err := webrtc.NewTrackLocalStaticRTP(webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeH264}, "v", "s")
	if err != nil {
		t.Fatal(err)
	}
	pauses, left := 0, errors.New("the viewer left")
	v := newViewer(0)
	v.video = track
	v.pace.pause = func(context.Context) error {
		if pauses++; pauses == 20 {
			return left
		}
		return nil
	}
	f := &frame{}
	for range 14 { // 14 kB
		f.payloads = append(f.payloads, make([]byte, 1000))
	}
	if err := v.send(t.Context(), f); err != nil || pauses != 0 {
		t.Errorf("a small picture: %v, %d pauses", err, pauses)
	}
	for err == nil {
		err = v.send(t.Context(), f)
	}
	if sent := int(v.videoNumber); !errors.Is(err, left) || pauses != 20 || sent < 20*16 || sent > 20*18 {
		t.Errorf("%v after %d pauses and %d packets", err, pauses, sent)
	}
}
