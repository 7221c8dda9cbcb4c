package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	srt "github.com/datarhei/gosrt"

	"github.com/tuttinode/tutti/test/encoder"
	"github.com/tuttinode/tutti/test/harness"
)

// publishedClip is two seconds of H.264 and AAC.
func publishedClip(t *testing.T) (data []byte, clip *encoder.Clip) {
	t.Helper()
	data = ffmpegClip(t, clipPicture+clipTone+clipH264+clipAAC+clipAtOnce, "ts")
	clip, err := encoder.ReadClip(data)
	if err != nil {
		t.Fatal(err)
	}
	return data, clip
}

// publisher runs an encoder until the end of the test.
func publisher(t *testing.T, run func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := run(ctx); err != nil && ctx.Err() == nil {
			t.Error("the encoder:", err)
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
}

// awaitRenditions waits until players find a stream's renditions, and reads one.
func awaitRenditions(t *testing.T, node *harness.Process, master string) {
	t.Helper()
	base := master[:strings.LastIndexByte(master, '/')+1]
	fetch := func(url string) (string, bool) {
		status, data := harness.Get(t, url)
		return string(data), status == http.StatusOK
	}
	last := func(text string) string {
		lines := strings.Fields(text)
		return lines[len(lines)-1]
	}
	var segment string
	node.Wait("renditions of "+master, 90*time.Second, func() bool {
		list, ok := fetch(master)
		if !ok || strings.Count(list, "#EXT-X-STREAM-INF") < 2 {
			return false
		}
		media := base + last(list)
		text, ok := fetch(media)
		if !ok || strings.Count(text, "#EXTINF") < 2 {
			return false
		}
		segment, ok = fetch(media[:strings.LastIndexByte(media, '/')+1] + last(text))
		return ok
	})
	has := func(pid int) bool {
		return len(tsPackets([]byte(segment), func(p int) bool { return p == pid })) > 0
	}
	if len(segment) < 10*188 || segment[0] != 0x47 || !has(videoPID) || !has(audioPID) {
		t.Errorf("a rendition of %d bytes", len(segment))
	}
}

// Encoders publish by RTMP and by SRT, and players find the renditions by HLS.
func TestPublishing(t *testing.T) {
	t.Parallel()
	data, clip := publishedClip(t)
	front, listen, uplink, addr := harness.Address(t), harness.Address(t), harness.Address(t), harness.Address(t)
	node := harness.Start(t, binary, "-gateway", "-orchestrator", "-transcoder", "-serviceAddr", addr, "-httpAddr", addr,
		"-gatewayAddr", front, "-cliAddr", harness.Address(t), "-dataDir", t.TempDir(), "-rtmpAddr", listen,
		"-srtAddr", uplink, "-currentManifest", "-transcodingOptions", "P144p30fps16x9")
	node.WaitHTTP("http://" + front + "/healthz")
	publisher(t, func(ctx context.Context) error {
		return encoder.Publish(ctx, "rtmp://"+listen+"/live/film", clip, 500*time.Millisecond, 0)
	})
	awaitRenditions(t, node, "http://"+front+"/stream/film.m3u8")
	awaitRenditions(t, node, "http://"+front+"/stream/current.m3u8")
	publisher(t, func(ctx context.Context) error { return sendSRT(ctx, uplink, "live/disc", data, clip.Length) })
	awaitRenditions(t, node, "http://"+front+"/stream/disc.m3u8")
	if strings.Contains(node.Log(), "panic") {
		t.Error(node.Log())
	}
}

// sendSRT publishes a file again and again in real time.
func sendSRT(ctx context.Context, addr, id string, data []byte, length int64) error {
	c := srt.DefaultConfig()
	c.StreamId = id
	conn, err := srt.Dial("srt", addr, c)
	if err != nil {
		return err
	}
	defer conn.Close()
	const piece = 7 * tsPacket
	pieces := len(data)/piece + 1
	tick := time.NewTicker(time.Duration(length) * time.Second / 90000 / time.Duration(pieces))
	defer tick.Stop()
	for {
		for at := 0; at < len(data); at += piece {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return ctx.Err()
			}
			if _, err := conn.Write(data[at:min(at+piece, len(data))]); err != nil {
				return fmt.Errorf("write: %w", err)
			}
		}
	}
}

// A stream of live video comes by RTMP, goes through the sample pipeline, and its result to an RTMP server, again
// when that ends the connection. A server in a private network that the operator did not name gets nothing.
func TestLiveVideoByRTMP(t *testing.T) {
	t.Parallel()
	_, clip := publishedClip(t)
	_, orchestrator := sampleNode(t, 2)
	front, listen := harness.Address(t), harness.Address(t)
	node := harness.Start(t, binary, "-gateway", "-orchAddr", orchestrator, "-httpAddr", front, "-cliAddr",
		harness.Address(t), "-dataDir", t.TempDir(), "-liveMediaAddr", harness.Address(t), "-rtmpAddr", listen,
		"-liveOutputNetworks", "127.0.0.1")
	node.WaitHTTP("http://" + front + "/healthz")
	out := encoder.NewServer(t)
	publisher(t, func(ctx context.Context) error {
		return encoder.Publish(ctx, "rtmp://"+listen+"/live/video-to-video/cam?pipeline=sample"+
			"&params=%7B%22effect%22:%22gray%22%7D&rtmpOutput=rtmp://"+out.Addr()+"/app/key", clip, 2*time.Second, 0)
	})
	node.Wait("the result", 60*time.Second, func() bool {
		streams, pictures, keys, sounds, back := out.Got()
		return len(streams) == 1 && streams[0] == "/app/key?" && pictures > 60 && keys > 0 && sounds > 20 && back == 0
	})
	out.Cut()
	_, before, _, _, _ := out.Got()
	node.Wait("the result again", 60*time.Second, func() bool {
		streams, pictures, _, _, _ := out.Got()
		return len(streams) == 2 && pictures > before+30
	})
	if strings.Contains(node.Log(), "/app/key") {
		t.Error("the key of the output is in the log")
	}
}
