package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/server/gateway/segmenter"
)

// encoderPicture is a picture with its parameter sets, if it is a key frame.
func encoderPicture(key bool, n int) [][]byte {
	slice := append([]byte{0x41, 0x9a}, bytes.Repeat(fmt.Appendf(nil, "picture %06d ", n), 20)...)
	if !key {
		return [][]byte{slice}
	}
	slice[0], slice[1] = 0x65, 0x88
	return [][]byte{{0x67, 0x42, 0xc0, 0x1f, 0xd9, 0x00, 0xf0, 0x11, 0x7e, 0xf0, 0x11, 0x00, 0x00, 0x03, 0x00, 0x01,
		0x00, 0x00, 0x03, 0x00, 0x3c, 0x0f, 0x18, 0x32, 0xe0}, {0x68, 0xcb, 0x83, 0xcb, 0x20}, slice}
}

// publish publishes some seconds of a stream, with a key frame each second.
func (n *node) publish(p gateway.Publisher, seconds int) error {
	n.t.Helper()
	pub, err := n.g.Publish(n.t.Context(), p)
	if err != nil {
		return err
	}
	cut := segmenter.New(segmenter.Options{Least: 2 * time.Second, Now: time.Now})
	cut.Direct(pub)
	for i := range 30 * seconds {
		at := segmenter.FirstTime + int64(i)*3000
		cut.Video(at, at, encoderPicture(i%30 == 0, i), true)
	}
	cut.Finish()
	pub.Close()
	return nil
}

// A stream that is published has the renditions and playlists of one whose segments are pushed.
func TestPublishedStreams(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri}, func(opt *gateway.Options) { opt.CurrentPlaylist = true })
	p := gateway.Publisher{Protocol: "rtmp", Addr: "127.0.0.1:1000", Host: "gw:1935", Name: "film"}
	if err := n.publish(p, 8); err != nil {
		t.Fatal(err)
	}
	if c := n.events.count("transcoded film"); c != 4 {
		t.Error(c, "segments", n.events.list())
	}
	status, master, _ := n.get("/stream/film.m3u8")
	if status != http.StatusOK || strings.Count(master, "film/") != 3 {
		t.Error(status, master)
	}
	if _, current, _ := n.get("/stream/current.m3u8"); current != master {
		t.Error("the running stream:", current)
	}
	_, list, _ := n.get("/stream/film/source.m3u8")
	if strings.Count(list, "#EXTINF:2.000") != 4 {
		t.Error(list)
	}
	if err := n.publish(p, 4); err != nil { // the encoder connects again
		t.Fatal(err)
	}
	if c := n.events.count("transcoded film"); c != 6 {
		t.Error(c, "segments after it came again")
	}
}

// Without -currentManifest, current is the name of a stream like others.
func TestNoCurrentPlaylist(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri})
	if err := n.publish(gateway.Publisher{Protocol: "rtmp", Addr: "127.0.0.1:1000", Name: "film"}, 4); err != nil {
		t.Fatal(err)
	}
	if status, text, _ := n.get("/stream/current.m3u8"); status != http.StatusNotFound {
		t.Error(status, text)
	}
}

// The webhook gets a request about a publisher with the address that the encoder publishes to, and names the stream.
func TestTheHookAdmitsPublishers(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var asked []string
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ URL string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			return
		}
		mu.Lock()
		asked = append(asked, in.URL)
		mu.Unlock()
		if !strings.Contains(in.URL, "token=good") {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = io.WriteString(w, `{"manifestID":"named"}`)
	}))
	defer hook.Close()
	o := newFake(t)
	n := start(t, []string{o.uri}, func(opt *gateway.Options) { opt.AdmissionHook = hook.URL })
	p := gateway.Publisher{Protocol: "rtmp", Addr: "192.0.2.1:1000", Host: "gw:1935", Name: "film", Query: "token=bad"}
	if err := n.publish(p, 4); fault.CodeOf(err) != fault.StreamDenied {
		t.Error(err)
	}
	p.Query = "token=good"
	if err := n.publish(p, 4); err != nil {
		t.Fatal(err)
	}
	if c := n.events.count("transcoded named"); c != 2 {
		t.Error(c, n.events.list())
	}
	mu.Lock()
	defer mu.Unlock()
	if len(asked) != 2 || asked[1] != "rtmp://gw:1935/live/film?token=good" {
		t.Error(asked)
	}
}

// Publishers of other machines need what pushes from there need.
func TestPublishersNeedAccess(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri}, func(opt *gateway.Options) {
		opt.Access = access.New(access.Options{Listen: "0.0.0.0:9935", Mode: access.Auto})
	})
	p := gateway.Publisher{Protocol: "srt", Addr: "192.0.2.1:1000", Name: "film"}
	if err := n.publish(p, 4); fault.CodeOf(err) != fault.StreamKeyRequired {
		t.Error(err)
	}
	p.Addr, p.Name = "127.0.0.1:1000", "a/b"
	if err := n.publish(p, 4); fault.CodeOf(err) != fault.PushPath {
		t.Error(err)
	}
	if p.Name = "film"; n.publish(p, 4) != nil {
		t.Error("this machine is refused")
	}
}

// Data without key frames end the stream, and their memory is counted.
func TestPublishedDataAreBounded(t *testing.T) {
	t.Parallel()
	o := newFake(t)
	n := start(t, []string{o.uri}, func(opt *gateway.Options) { opt.Limits.Bytes = 80 << 20 })
	piece := make([]byte, 1<<20)
	fill := func(name string) (int, error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		pub, err := n.g.Publish(ctx, gateway.Publisher{Protocol: "rtmp", Addr: "127.0.0.1:1", Name: name})
		if err != nil {
			t.Fatal(err)
		}
		out, err := pub.Next()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(out.Drop)
		for i := range 200 {
			if _, err := out.Write(piece); err != nil {
				return i, err
			}
		}
		return 200, nil
	}
	if i, err := fill("one"); i != 64 || fault.CodeOf(err) != fault.PublishNoKeyFrame {
		t.Error(i, err)
	}
	if i, err := fill("two"); i > 16 || fault.CodeOf(err) != fault.PushesFull {
		t.Error(i, err)
	}
}
