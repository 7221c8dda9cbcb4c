package livevideo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pion/rtp"
	"github.com/pion/rtp/codecs"
	"github.com/pion/webrtc/v4"
)

// T is what the clients need of a testing.TB; a benchmark that is a program has one of its own.
type T interface {
	Helper()
	Context() context.Context
	Cleanup(f func())
	Fatal(args ...any)
}

// Do sends a request and returns the answer with its body.
func Do(t T, method, url, mime, body string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if mime != "" {
		r.Header.Set("Content-Type", mime)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(data)
}

// connect makes a connection by WHIP or WHEP.
func connect(t T, pc *webrtc.PeerConnection, url string) {
	t.Helper()
	offer, err := pc.CreateOffer(nil)
	if err != nil {
		t.Fatal(err)
	}
	gathered := webrtc.GatheringCompletePromise(pc)
	if err := pc.SetLocalDescription(offer); err != nil {
		t.Fatal(err)
	}
	<-gathered
	res, text := Do(t, "POST", url, "application/sdp", pc.LocalDescription().SDP)
	if res.StatusCode != http.StatusCreated {
		t.Fatal(res.Status, text)
	}
	if err := pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: text}); err != nil {
		t.Fatal(err)
	}
}

// peer is a connection of a client.
func peer(t T) *webrtc.PeerConnection {
	t.Helper()
	settings := webrtc.SettingEngine{}
	settings.SetIncludeLoopbackCandidate(true)
	media := &webrtc.MediaEngine{}
	if err := media.RegisterDefaultCodecs(); err != nil {
		t.Fatal(err)
	}
	pc, err := webrtc.NewAPI(webrtc.WithSettingEngine(settings), webrtc.WithMediaEngine(media)).
		NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pc.GracefulClose() })
	return pc
}

// Parameter sets of a small picture, and the first bytes of its slices.
var (
	sps = []byte{0x67, 0x42, 0xc0, 0x1f, 0xd9, 0x00, 0xf0, 0x11, 0x7e, 0xf0, 0x11, 0x00, 0x00, 0x03, 0x00, 0x01, 0x00,
		0x00, 0x03, 0x00, 0x3c, 0x0f, 0x18, 0x32, 0xe0}
	pps = []byte{0x68, 0xcb, 0x83, 0xcb, 0x20}
)

// picture is an access unit with a number in it.
func picture(key bool, n int) []byte {
	var b bytes.Buffer
	nalu := func(p []byte) { b.Write([]byte{0, 0, 0, 1}); b.Write(p) }
	kind := byte(0x41)
	if key {
		nalu(sps)
		nalu(pps)
		kind = 0x65
	}
	nalu(append([]byte{kind, 0x88}, bytes.Repeat(fmt.Appendf(nil, "picture %06d ", n), 150)...))
	return b.Bytes()
}

// Publisher publishes numbered pictures, with a key frame every half second, and sound.
type Publisher struct {
	pc   *webrtc.PeerConnection
	stop context.CancelFunc
	done chan struct{}
}

// Pictures are what a publisher sends: access units in Annex B form, one every Interval.
type Pictures struct {
	Interval time.Duration
	// Next is the nth picture. It is called when the picture is sent.
	Next func(n int) []byte
}

// Publish begins to publish.
func Publish(t T, url string) *Publisher {
	t.Helper()
	return PublishPictures(t, url, Pictures{20 * time.Millisecond, func(n int) []byte { return picture(n%25 == 0, n) }})
}

// PublishPictures begins to publish pictures of the caller's.
func PublishPictures(t T, url string, pictures Pictures) *Publisher {
	t.Helper()
	p := &Publisher{pc: peer(t), done: make(chan struct{})}
	video, err := webrtc.NewTrackLocalStaticRTP(webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeH264}, "v", "s")
	if err != nil {
		t.Fatal(err)
	}
	audio, err := webrtc.NewTrackLocalStaticRTP(webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus}, "a", "s")
	if err != nil {
		t.Fatal(err)
	}
	for _, track := range []webrtc.TrackLocal{video, audio} {
		if _, err := p.pc.AddTrack(track); err != nil {
			t.Fatal(err)
		}
	}
	connect(t, p.pc, url)
	ctx, stop := context.WithCancel(t.Context())
	p.stop = stop
	go p.send(ctx, pictures, video, audio)
	t.Cleanup(p.Close)
	return p
}

func (p *Publisher) send(ctx context.Context, pictures Pictures, video, audio *webrtc.TrackLocalStaticRTP) {
	defer close(p.done)
	tick := time.NewTicker(pictures.Interval)
	defer tick.Stop()
	var number uint16
	for n := 0; ; n++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		parts := (&codecs.H264Payloader{}).Payload(1200, pictures.Next(n))
		for i, part := range parts {
			number++
			_ = video.WriteRTP(&rtp.Packet{Payload: part, Header: rtp.Header{Version: 2, SequenceNumber: number,
				Timestamp: ticks(pictures.Interval, n, 90000), Marker: i == len(parts)-1}})
		}
		_ = audio.WriteRTP(&rtp.Packet{Payload: []byte{0xf8, 0xff, 0xfe}, Header: rtp.Header{Version: 2,
			SequenceNumber: uint16(n), Timestamp: ticks(pictures.Interval, n, 48000), Marker: true}})
	}
}

// ticks is the time stamp of the nth of things that come every interval, in ticks of a rate.
func ticks(interval time.Duration, n, rate int) uint32 {
	return uint32(time.Duration(n) * interval * time.Duration(rate) / time.Second)
}

// Watcher watches by WHEP.
type Watcher struct {
	pc *webrtc.PeerConnection

	mu    sync.Mutex
	units []string // the numbers of the pictures, in order of arrival
	// times are their time stamps.
	times  []uint32
	sounds int
	keys   int
	// taken gets each picture.
	taken func(unit []byte)
}

// Watch begins to watch.
func Watch(t T, url string) *Watcher {
	t.Helper()
	return WatchPictures(t, url, func([]byte) {})
}

// WatchPictures begins to watch; each picture, in Annex B form, is given to taken when it has come.
func WatchPictures(t T, url string, taken func(unit []byte)) *Watcher {
	t.Helper()
	v := &Watcher{pc: peer(t), taken: taken}
	var wg sync.WaitGroup
	t.Cleanup(wg.Wait)
	t.Cleanup(func() { v.pc.GracefulClose() })
	for _, kind := range []webrtc.RTPCodecType{webrtc.RTPCodecTypeVideo, webrtc.RTPCodecTypeAudio} {
		if _, err := v.pc.AddTransceiverFromKind(kind, webrtc.RTPTransceiverInit{
			Direction: webrtc.RTPTransceiverDirectionRecvonly}); err != nil {
			t.Fatal(err)
		}
	}
	v.pc.OnTrack(func(track *webrtc.TrackRemote, _ *webrtc.RTPReceiver) {
		wg.Go(func() { v.read(track) })
	})
	connect(t, v.pc, url)
	return v
}

func (v *Watcher) read(track *webrtc.TrackRemote) {
	var codec codecs.H264Packet
	var unit []byte
	for {
		p, _, err := track.ReadRTP()
		if err != nil {
			return
		}
		v.mu.Lock()
		if track.Kind() == webrtc.RTPCodecTypeAudio {
			v.sounds++
		} else if data, err := codec.Unmarshal(p.Payload); err == nil {
			unit = append(unit, data...)
			if p.Marker {
				if i := bytes.Index(unit, []byte("picture ")); i >= 0 && len(unit) > i+14 {
					v.units = append(v.units, string(unit[i+8:i+14]))
					v.times = append(v.times, p.Timestamp)
				}
				if bytes.Contains(unit, sps) {
					v.keys++
				}
				v.taken(unit)
				unit = nil
			}
		}
		v.mu.Unlock()
	}
}

// Count is how many pictures came.
func (v *Watcher) Count() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.units)
}

// Pictures are the numbers of the pictures that came, and their time stamps.
func (v *Watcher) Pictures() (numbers []string, times []uint32) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.units), slices.Clone(v.times)
}

// Whole reports whether parameter sets and sound came.
func (v *Watcher) Whole() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.keys > 0 && v.sounds > 0
}

// Close ends the publisher's connection.
func (p *Publisher) Close() {
	p.stop()
	<-p.done
	_ = p.pc.GracefulClose() // it is over
}
