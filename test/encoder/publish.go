package encoder

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/url"
	"time"

	"github.com/bluenviron/gortmplib"
	"github.com/bluenviron/gortsplib/v5/pkg/format"
	"github.com/bluenviron/mediacommon/v2/pkg/formats/mpegts"
)

// Unit is a picture, or sound if Sound is set. Times are in units of 90 kHz from the clip's first picture on.
type Unit struct {
	PTS, DTS int64
	Video    [][]byte
	Sound    []byte
}

// Clip are the units of a file in MPEG-TS with H.264 and perhaps AAC, and how the sound is encoded, nil for none.
type Clip struct {
	Units  []Unit
	Config *mpegts.CodecMPEG4Audio
	// Length is how long it plays, in units of 90 kHz.
	Length int64
}

// ReadClip reads a file.
func ReadClip(data []byte) (*Clip, error) {
	m := &mpegts.Reader{R: bytes.NewReader(data)}
	if err := m.Initialize(); err != nil {
		return nil, err
	}
	c, first := &Clip{}, int64(-1)
	for _, t := range m.Tracks() {
		switch codec := t.Codec.(type) {
		case *mpegts.CodecH264:
			m.OnDataH264(t, func(pts, dts int64, unit [][]byte) error {
				if first < 0 {
					first = dts
				}
				c.Length = max(c.Length, dts-first+3000)
				c.Units = append(c.Units, Unit{PTS: pts - first, DTS: dts - first, Video: unit})
				return nil
			})
		case *mpegts.CodecMPEG4Audio:
			c.Config = codec
			m.OnDataMPEG4Audio(t, func(pts int64, units [][]byte) error {
				for _, u := range units {
					if first >= 0 && pts >= first {
						c.Units = append(c.Units, Unit{PTS: pts - first, DTS: pts - first, Sound: u})
					}
					pts += 1024 * 90000 / int64(codec.SampleRate)
				}
				return nil
			})
		}
	}
	for {
		if err := m.Read(); errors.Is(err, io.EOF) {
			return c, nil
		} else if err != nil {
			return nil, err
		}
	}
}

// Publish publishes a clip again and again, each time every pause, until ctx ends, the server ends the connection or
// times are over; 0 is no end.
func Publish(ctx context.Context, address string, c *Clip, every time.Duration, times int) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	conn := &gortmplib.Client{URL: u, Publish: true}
	if err := conn.Initialize(ctx); err != nil {
		return err
	}
	defer conn.Close()
	release := context.AfterFunc(ctx, conn.Close)
	defer release()
	gone := make(chan error, 1)
	go func() {
		for {
			if _, err := conn.Read(); err != nil {
				gone <- err
				return
			}
		}
	}()
	video := &format.H264{PayloadTyp: 96, PacketizationMode: 1}
	video.SPS, video.PPS = c.Units[0].parameters()
	tracks := []format.Format{video}
	var sound *format.MPEG4Audio
	if c.Config != nil {
		sound = &format.MPEG4Audio{PayloadTyp: 97, Config: &c.Config.Config, SizeLength: 13, IndexLength: 3,
			IndexDeltaLength: 3}
		tracks = append(tracks, sound)
	}
	w := &gortmplib.Writer{Conn: conn, Tracks: tracks}
	if err := w.Initialize(); err != nil {
		return err
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for n := 0; times == 0 || n < times; n++ {
		if err := send(w, video, sound, c, int64(n)*c.Length); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case err := <-gone:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func send(w *gortmplib.Writer, video *format.H264, sound *format.MPEG4Audio, c *Clip, base int64) error {
	at := func(t int64) time.Duration { return time.Duration(base+t) * time.Second / 90000 }
	for _, u := range c.Units {
		var err error
		if u.Video != nil {
			err = w.WriteH264(video, at(u.PTS), at(u.DTS), u.Video)
		} else if sound != nil {
			err = w.WriteMPEG4Audio(sound, at(u.PTS), u.Sound)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (u *Unit) parameters() (sps, pps []byte) {
	for _, n := range u.Video {
		switch n[0] & 0x1f {
		case 7:
			sps = n
		case 8:
			pps = n
		}
	}
	return sps, pps
}
