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

	"github.com/tuttinode/tutti/test/whipclient"
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
	return Send(t, r)
}

// Send sends a request and returns the answer with its body.
func Send(t T, r *http.Request) (*http.Response, string) {
	t.Helper()
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
	client *whipclient.Publisher
	stop   context.CancelFunc
	done   chan struct{}
}

// Pictures are what a publisher sends: access units in Annex B form, one every Interval.
type Pictures struct {
	Interval time.Duration
	// Next is the nth picture. It is called when the picture is sent.
	Next func(n int) []byte
}

// numbered are pictures with a number in each. Read-only.
var numbered = Pictures{20 * time.Millisecond, func(n int) []byte { return picture(n%25 == 0, n) }}

// Publish begins to publish.
func Publish(t T, url string) *Publisher {
	t.Helper()
	return PublishPictures(t, url, numbered)
}

// PublishPictures begins to publish pictures of the caller's.
func PublishPictures(t T, url string, pictures Pictures) *Publisher {
	t.Helper()
	return publish(t, http.DefaultClient, url, pictures)
}

// PublishBy begins to publish by an HTTP client of the caller's.
func PublishBy(t T, by *http.Client, url string) *Publisher {
	t.Helper()
	return publish(t, by, url, numbered)
}

func publish(t T, by *http.Client, url string, pictures Pictures) *Publisher {
	t.Helper()
	client, err := whipclient.Publish(t.Context(), by, url)
	if err != nil {
		t.Fatal(err)
	}
	p := &Publisher{client: client, done: make(chan struct{})}
	ctx, stop := context.WithCancel(t.Context())
	p.stop = stop
	go p.send(ctx, pictures)
	t.Cleanup(p.Close)
	return p
}

func (p *Publisher) send(ctx context.Context, pictures Pictures) {
	defer close(p.done)
	tick := time.NewTicker(pictures.Interval)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		// A connection that has ended takes nothing.
		_ = p.client.Video(ticks(pictures.Interval, n, 90000), pictures.Next(n))
		_ = p.client.Audio(ticks(pictures.Interval, n, 48000), []byte{0xf8, 0xff, 0xfe})
	}
}

// ticks is the time stamp of the nth of things that come every interval, in ticks of a rate.
func ticks(interval time.Duration, n, rate int) uint32 {
	return uint32(time.Duration(n) * interval * time.Duration(rate) / time.Second)
}

// Watcher watches by WHEP.
type Watcher struct {
	client *whipclient.Watcher

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
	v := &Watcher{taken: taken}
	client, err := whipclient.Watch(t.Context(), http.DefaultClient, url, v.take)
	if err != nil {
		t.Fatal(err)
	}
	v.client = client
	t.Cleanup(v.Close)
	return v
}

func (v *Watcher) take(u whipclient.Unit) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if u.Audio {
		v.sounds++
		return
	}
	if i := bytes.Index(u.Data, []byte("picture ")); i >= 0 && len(u.Data) > i+14 {
		v.units = append(v.units, string(u.Data[i+8:i+14]))
		v.times = append(v.times, u.At)
	}
	if bytes.Contains(u.Data, sps) {
		v.keys++
	}
	if v.taken != nil {
		v.taken(u.Data)
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

// Close ends the viewer's connection.
func (v *Watcher) Close() { _ = v.client.Close() }

// Close ends the publisher's connection.
func (p *Publisher) Close() {
	p.stop()
	<-p.done
	_ = p.client.Close() // it is over
}
