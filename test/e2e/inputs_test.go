package e2e

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/pushclient"
	"github.com/tuttinode/tutti/transcoder/libav"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// pushed is a gateway's answer to a segment.
type pushed struct {
	status     int
	code, text string
	renditions []harness.Rendition
}

// pushClip pushes a segment as the first of a stream, with more headers: name, value, …
func pushClip(t *testing.T, gateway, stream, ext string, data []byte, headers ...string) pushed {
	t.Helper()
	record := &recorder{headers: headers}
	a, err := pushclient.Push(t.Context(), &http.Client{Transport: record}, gateway, pushclient.Segment{
		Stream: stream, File: "0." + ext, Data: data, Duration: 2 * time.Second,
	})
	out := pushed{status: record.status, code: record.code}
	if err != nil {
		out.text = err.Error()
		return out
	}
	out.renditions = a.Renditions
	return out
}

// recorder adds headers to requests and remembers the answer's status and code.
type recorder struct {
	headers []string
	status  int
	code    string
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	for i := 0; i+1 < len(r.headers); i += 2 {
		req.Header.Set(r.headers[i], r.headers[i+1])
	}
	resp, err := harness.Client().Transport.RoundTrip(req)
	if err == nil {
		r.status, r.code = resp.StatusCode, resp.Header.Get("Tutti-Code")
	}
	return resp, err
}

// wants compares a refusal with the status, code and words that clients rely on.
func (p pushed) wants(t *testing.T, name, code, words string) {
	t.Helper()
	if p.status != http.StatusUnprocessableEntity || p.code != code || !strings.Contains(p.text, words) {
		t.Errorf("%s: %d %s %q, want 422 %s %q", name, p.status, p.code, p.text, code, words)
	}
}

// inputNodes starts both shapes of a gateway: one alone, which reads headers only, and
// one with a media worker of its own.
func inputNodes(t *testing.T) map[string]string {
	t.Helper()
	_, addr := orchestrator(t, "-maxSessions", "200")
	_, alone := gateway(t, addr)
	own := harness.Address(t)
	orchestrator(t, "-maxSessions", "200", "-gateway", "-gatewayAddr", own, "-transcodingOptions", ladder)
	return map[string]string{"alone": alone, "own": "http://" + own}
}

// TestRenditionIsNeverTheSource pushes what a look at headers alone takes for segments
// without a frame: files in fragments, whole or from the middle of a stream, and
// transport streams whose tables come after the media. Each is decoded.
func TestRenditionIsNeverTheSource(t *testing.T) {
	gateways := inputNodes(t)
	plain := ffmpegClip(t, clipPicture+clipTone+clipH264+clipAAC+clipAtOnce, "ts")
	opus := ffmpegClip(t, clipPicture+clipTone+clipH264+"-ac 2 -strict -2 -c:a opus "+clipAtOnce, "ts")
	large := ffmpegClip(t, "-f lavfi -i testsrc2=size=640x360:rate=10:duration=2 "+clipTone+
		"-vf noise=alls=100:allf=t -c:v libx264 -preset ultrafast -qp 0 "+
		"-pix_fmt yuv420p -ac 2 -strict -2 -c:a opus "+clipAtOnce, "ts")
	parts := ffmpegClip(t, clipPicture+clipTone+clipH264+clipAAC+clipInParts, "mp4")
	initialization, fragments := cmaf(parts)
	if len(fragments) < 2 {
		t.Fatalf("%d fragments, want 2 or more", len(fragments))
	}
	last := fragments[len(fragments)-1]
	for name, c := range map[string]struct {
		ext   string
		data  []byte
		sound string
	}{
		"fragmented":           {"mp4", parts, "aac"},
		"init and one segment": {"mp4", slices.Concat(initialization, fragments[0]), "aac"},
		"from the middle":      {"mp4", slices.Concat(initialization, last), "aac"},
		"after an hour": {"mp4", slices.Concat(initialization, delayed(last, map[uint32]uint64{1: 15360, 2: 48000})),
			"aac"},
		"tables last":           {"ts", tablesLast(plain), "aac"},
		"tables last, Opus":     {"ts", tablesLast(opus), "opus"},
		"tables after 7 MB":     {"ts", tablesLast(large), "opus"},
		"tables in the middle":  {"ts", slices.Concat(tablesLast(plain)[:90*tsPacket], plain), "aac"},
		"without tables at all": {"ts", without(without(plain, patPID), mapPID), "aac"},
	} {
		for shape, gw := range gateways {
			t.Run(name+", "+shape, func(t *testing.T) {
				a := pushClip(t, gw, strings.NewReplacer(" ", "-", ",", "").Replace(name), c.ext, c.data)
				if a.status != http.StatusOK {
					t.Fatalf("%d %s %s", a.status, a.code, a.text)
				}
				for i, r := range a.renditions {
					if bytes.Equal(r.Data, c.data) {
						t.Fatalf("rendition %d is the source, byte for byte", i)
					}
					report, err := libav.Inspect(t.Context(), r.Data)
					if err != nil || report.Audio == nil || report.Audio.Codec != c.sound {
						t.Errorf("rendition %d: sound %+v, %v; want %s", i, report.Audio, err, c.sound)
					}
				}
				checkRenditions(t, clip.Segment{Data: c.data}, a.renditions)
			})
		}
	}
	// What the network passes on as it is: video is declared, and has no frame.
	silent := without(plain, videoPID)
	for shape, gw := range gateways {
		a := pushClip(t, gw, "empty", "ts", silent)
		if a.status != http.StatusOK || len(a.renditions) != 2 || !bytes.Equal(a.renditions[0].Data, silent) {
			t.Errorf("%s: no frame yet: %d %s", shape, a.status, a.text)
		}
	}
}

// TestSoundAloneInBetween: a stream that has begun may have segments without video.
func TestSoundAloneInBetween(t *testing.T) {
	gateways := inputNodes(t)
	plain := ffmpegClip(t, clipPicture+clipTone+clipH264+clipAAC+clipAtOnce, "ts")
	sound := ffmpegClip(t, clipTone+clipAAC+clipAtOnce, "ts")
	for shape, gw := range gateways {
		for n, data := range [][]byte{plain, sound, plain} {
			out, err := harness.Push(gw, "between", fmt.Sprintf("%d.ts", n), data, 2*time.Second)
			if err != nil {
				t.Fatalf("%s: segment %d: %v", shape, n, err)
			}
			report, err := libav.Inspect(t.Context(), out[0].Data)
			if err != nil || report.Audio == nil || (report.Video != nil) != (n != 1) || bytes.Equal(out[0].Data, data) {
				t.Errorf("%s: segment %d: %v, %+v", shape, n, err, report)
			}
		}
		if variants := streamInfs(t, gw, "between"); len(variants) != 3 || !strings.Contains(variants[0], "320x180") {
			t.Errorf("%s: %q", shape, variants)
		}
	}
}

// TestInputRefusedByName pushes what cannot be transcoded. The client learns what is
// wrong with it, and no orchestrator gets the request: the gateway alone could reach none.
func TestInputRefusedByName(t *testing.T) {
	gateways := inputNodes(t)
	_, gateways["alone"] = gateway(t, "127.0.0.1:1")
	plain := ffmpegClip(t, clipPicture+clipTone+clipH264+clipAAC+clipAtOnce, "ts")
	ac3 := ffmpegClip(t, clipPicture+clipTone+clipH264+"-c:a ac3 "+clipAtOnce, "ts")
	parts := ffmpegClip(t, clipPicture+clipTone+clipH264+clipAAC+clipInParts, "mp4")
	initialization, fragments := cmaf(parts)
	av1 := ffmpegClip(t, "-i ../../transcoder/libav/testdata/av1.mp4 -c copy", "mkv")
	long := "-f lavfi -i testsrc2=size=64x36:rate=1:duration=320 " + clipH264
	for name, c := range map[string]struct {
		ext         string
		data        []byte
		code, words string
	}{
		"init alone":       {"mp4", initialization, "InputNoVideo", "initialization segment without samples"},
		"a fragment alone": {"mp4", fragments[1], "InputUnreadable", "without their initialization segment"},
		"sound alone, TS":  {"ts", ffmpegClip(t, clipTone+clipAAC, "ts"), "InputNoVideo", "no video"},
		"sound alone, MP4": {"mp4", ffmpegClip(t, clipTone+clipAAC, "mp4"), "InputNoVideo", "no video"},
		"tables alone": {"ts", without(ffmpegClip(t, clipPicture+clipH264+clipAtOnce, "ts"), videoPID),
			"InputNoVideo", "not one frame"},
		"over 300 s, TS":  {"ts", ffmpegClip(t, long, "ts"), "InputTooLong", "duration over 300 s"},
		"over 300 s, MP4": {"mp4", ffmpegClip(t, long, "mp4"), "InputTooLong", "duration over 300 s"},
		"DTS, ATSC": {"ts", relabeled(ac3, 0x8a, "", ""), "InputAudioUnsupported",
			"dts cannot be carried in MPEG-TS"},
		"DTS, registered": {"ts", relabeled(ac3, 0x06, "\x05\x04DTS1", ""), "InputAudioUnsupported", "dts"},
		"DTS, disc":       {"ts", relabeled(ac3, 0x82, "", "\x05\x04HDMV"), "InputAudioUnsupported", "dts"},
		"SMPTE 302M":      {"ts", relabeled(ac3, 0x06, "\x05\x04BSSD", ""), "InputAudioUnsupported", "s302m"},
		"FLAC in MPEG-TS": {"ts", ffmpegClip(t, clipPicture+clipTone+clipH264+"-c:a flac", "mp4"),
			"InputAudioUnsupported", "flac"},
		"AV1 in WebM":      {"ts", av1, "InputCodecUnsupported", "av1"},
		"no frame, as MP4": {"mp4", without(plain, videoPID), "InputNoVideo", "there is no frame"},
		"MPEG-2 as the video": {"ts", ffmpegClip(t, clipPicture+"-c:v mpeg2video", "ts"), "InputCodecUnsupported",
			"mpeg2video"},
	} {
		for shape, gw := range gateways {
			a := pushClip(t, gw, "refused", c.ext, c.data)
			a.wants(t, name+", "+shape, c.code, c.words)
		}
	}
	if a := pushClip(t, gateways["own"], "refused", "ts", plain); a.status != http.StatusOK {
		t.Errorf("a good segment after these: %d %s", a.status, a.text)
	}
}

// TestSoundIsNeverMislabeled pushes sound that MPEG-TS has no name for, and the same to
// become MP4, which has one.
func TestSoundIsNeverMislabeled(t *testing.T) {
	gateways := inputNodes(t)
	vorbis, err := os.ReadFile("../../transcoder/libav/testdata/vp9vorbis.webm")
	if err != nil {
		t.Fatal(err)
	}
	flac := ffmpegClip(t, clipPicture+clipTone+clipH264+"-c:a flac", "mkv")
	for name, data := range map[string][]byte{"vorbis": vorbis, "flac": flac} {
		for shape, gw := range gateways {
			a := pushClip(t, gw, name, "ts", data)
			a.wants(t, name+", "+shape, "InputAudioUnsupported", name+" cannot be carried in MPEG-TS")
		}
		a := pushClip(t, gateways["alone"], name+"4", "mp4", data)
		if a.status != http.StatusOK {
			t.Fatalf("%s in MP4: %d %s", name, a.status, a.text)
		}
		if r, err := libav.Inspect(t.Context(), a.renditions[0].Data); err != nil || r.Audio == nil || r.Audio.Codec != name {
			t.Errorf("%s in MP4: sound %+v, %v", name, r.Audio, err)
		}
	}
}

// TestPlaylistsNameCodecs looks at what playlists say of the source and renditions.
func TestPlaylistsNameCodecs(t *testing.T) {
	gateways := inputNodes(t)
	hevc, err := os.ReadFile("../../transcoder/libav/testdata/hevc.ts")
	if err != nil {
		t.Fatal(err)
	}
	sound := func(args string) []byte {
		return ffmpegClip(t, clipPicture+clipTone+clipH264+args+" "+clipAtOnce, "ts")
	}
	for name, c := range map[string]struct {
		data                     []byte
		source, rendition, shape string
	}{
		"opus": {sound("-ac 2 -strict -2 -c:a opus"), "avc1.42c00d,opus", ",opus", "320x180"},
		"mp2":  {sound("-c:a mp2"), "avc1.42c00d,mp4a.40.33", ",mp4a.40.33", "320x180"},
		"aac":  {tablesLast(sound(clipAAC)), "avc1.42c00d,mp4a.40.2", ",mp4a.40.2", "320x180"},
		"ac3":  {sound("-c:a ac3"), "avc1.42c00d,ac-3", ",ac-3", "320x180"},
		"hevc": {hevc, "hvc1.1.6.L30.90", "", "64x64"},
	} {
		for shape, gw := range gateways {
			if a := pushClip(t, gw, name, "ts", c.data); a.status != http.StatusOK {
				t.Errorf("%s, %s: %d %s", name, shape, a.status, a.text)
				continue
			}
			variants := streamInfs(t, gw, name)
			if len(variants) != 3 {
				t.Fatalf("%s, %s: %d variants", name, shape, len(variants))
			}
			for i, v := range variants {
				codecs := c.source
				if i > 0 {
					codecs = c.rendition
				}
				if !strings.Contains(v, "RESOLUTION=") || !strings.Contains(v, codecs+`"`) ||
					i == 0 && (!strings.Contains(v, `CODECS="`+codecs) || !strings.Contains(v, "RESOLUTION="+c.shape)) {
					t.Errorf("%s, %s: variant %d, want %q: %s", name, shape, i, codecs, v)
				}
			}
		}
	}
}

// streamInfs are the variants' lines of a stream's master playlist.
func streamInfs(t *testing.T, gateway, stream string) (out []string) {
	t.Helper()
	status, text := harness.Get(t, gateway+"/stream/"+stream+".m3u8")
	if status != http.StatusOK {
		t.Fatalf("playlist of %s: %d %s", stream, status, text)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#EXT-X-STREAM-INF:") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

// TestSlicesOutOfRange asks for parts of a segment in which there is nothing.
func TestSlicesOutOfRange(t *testing.T) {
	gateways := inputNodes(t)
	plain := ffmpegClip(t, clipPicture+clipTone+clipH264+clipAAC+clipAtOnce, "ts")
	for _, s := range [][2]string{{"5000", "6000"}, {"5000", "0"}, {"1010", "1020"}} {
		a := pushClip(t, gateways["alone"], fmt.Sprint("slice", s[0], s[1]), "ts", plain,
			"Content-Slice-From", s[0], "Content-Slice-To", s[1])
		a.wants(t, fmt.Sprint(s), "SegmentNotTranscodable", "TranscoderInvalidClipConfig")
	}
}

// TestSampleAspectRatioChanges pushes a segment whose sample aspect ratio changes.
func TestSampleAspectRatioChanges(t *testing.T) {
	gateways := inputNodes(t)
	half := func(shape, at string) []byte {
		return ffmpegClip(t, "-f lavfi -i testsrc2=size=320x180:rate=30:duration=1 -vf setsar="+shape+" "+clipH264+
			"-output_ts_offset "+at+" "+clipAtOnce, "ts")
	}
	a := pushClip(t, gateways["alone"], "shape", "ts", slices.Concat(half("1", "0"), half("4/3", "1")))
	if a.status != http.StatusOK {
		t.Fatalf("%d %s %s", a.status, a.code, a.text)
	}
	for i, r := range a.renditions {
		report, err := libav.Inspect(context.Background(), r.Data)
		if err != nil || len(report.Video.Frames) != 60 {
			t.Fatalf("rendition %d: %v, %+v", i, err, report)
		}
		for n, f := range report.Video.Frames {
			want := [2]int{1, 1}
			if n >= 30 {
				want = [2]int{4, 3}
			}
			if f.SampleAspectRatio != want {
				t.Fatalf("rendition %d, frame %d: pixels of %v, want %v", i, n, f.SampleAspectRatio, want)
			}
		}
	}
}
