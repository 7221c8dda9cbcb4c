package whipclient

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/pion/rtp/codecs"
	"github.com/pion/webrtc/v4"
)

// maxUnit bounds one picture.
const maxUnit = 8 << 20

// Unit is a picture or a packet of sound that came.
type Unit struct {
	Audio bool
	// At is its time stamp, in units of 90 kHz for pictures and 48 kHz for sound.
	At uint32
	// Data is a picture in Annex B form, or nil.
	Data []byte
}

// Watcher is a connection by WHEP.
type Watcher struct {
	pc *webrtc.PeerConnection
	wg sync.WaitGroup
}

// Watch connects to a WHEP address. take gets what comes, from one goroutine for pictures and one for sound.
func Watch(ctx context.Context, client *http.Client, url string, take func(Unit)) (*Watcher, error) {
	pc, err := newPeer()
	if err != nil {
		return nil, err
	}
	w := &Watcher{pc: pc}
	for _, kind := range []webrtc.RTPCodecType{webrtc.RTPCodecTypeVideo, webrtc.RTPCodecTypeAudio} {
		if _, err := pc.AddTransceiverFromKind(kind, webrtc.RTPTransceiverInit{
			Direction: webrtc.RTPTransceiverDirectionRecvonly}); err != nil {
			return nil, errors.Join(err, w.Close())
		}
	}
	pc.OnTrack(func(track *webrtc.TrackRemote, _ *webrtc.RTPReceiver) {
		w.wg.Go(func() { read(track, take) })
	})
	if _, err := connect(ctx, client, pc, url); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// read joins packets to pictures until the track ends. A picture of which a packet is missing is left out.
func read(track *webrtc.TrackRemote, take func(Unit)) {
	var codec codecs.H264Packet
	var unit []byte
	var q queue
	broken := false
	for {
		p, _, err := track.ReadRTP()
		if err != nil {
			return
		}
		ready, gap := q.push(p)
		if gap {
			codec, unit, broken = codecs.H264Packet{}, nil, true
		}
		for _, p := range ready {
			if track.Kind() == webrtc.RTPCodecTypeAudio {
				take(Unit{Audio: true, At: p.Timestamp})
				continue
			}
			data, err := codec.Unmarshal(p.Payload)
			if err != nil || len(unit)+len(data) > maxUnit {
				broken = true
			}
			unit = append(unit, data...)
			if !p.Marker {
				continue
			}
			if !broken {
				take(Unit{At: p.Timestamp, Data: unit})
			}
			unit, broken = nil, false
		}
	}
}

// Connected reports whether the connection is up.
func (w *Watcher) Connected() bool {
	return w.pc.ConnectionState() == webrtc.PeerConnectionStateConnected
}

// Close ends the connection; no more is taken after it.
func (w *Watcher) Close() error {
	err := w.pc.GracefulClose()
	w.wg.Wait()
	return err
}
