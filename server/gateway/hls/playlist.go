package hls

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// ContentType is the media type of playlists.
const ContentType = "application/vnd.apple.mpegurl"

// dateFormat is ISO 8601 with milliseconds, as playlists have it.
const dateFormat = "2006-01-02T15:04:05.000Z07:00"

// Master writes a stream's master playlist. Its references are relative to
// /stream/<id>.m3u8. Errors are faults StreamNotFound, also while there is no
// segment yet, and PlaylistFormat when no variant can be played by HLS.
func (s *Store) Master(id core.ManifestID, now time.Time) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st, err := s.playable(id)
	if err != nil {
		return nil, err
	}
	st.watched = now
	var b bytes.Buffer
	b.WriteString("#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-INDEPENDENT-SEGMENTS\n")
	listed := 0
	for i, v := range st.variants {
		if v.Format != core.FormatMPEGTS {
			continue
		}
		listed++
		peak, mean := st.bandwidth(i)
		fmt.Fprintf(&b, "#EXT-X-STREAM-INF:BANDWIDTH=%d,AVERAGE-BANDWIDTH=%d", peak, mean)
		if v.Width > 0 && v.Height > 0 {
			fmt.Fprintf(&b, ",RESOLUTION=%dx%d", v.Width, v.Height)
		}
		if v.FPS > 0 {
			fmt.Fprintf(&b, ",FRAME-RATE=%.3f", v.FPS)
		}
		if v.Codecs != "" {
			fmt.Fprintf(&b, ",CODECS=%q", v.Codecs)
		}
		fmt.Fprintf(&b, "\n%s/%s.m3u8\n", id, v.Key)
	}
	if listed == 0 {
		return nil, fault.New(fault.PlaylistFormat, "write master playlist", "all variants are MP4 files")
	}
	return b.Bytes(), nil
}

func (s *Store) playable(id core.ManifestID) (*stream, error) {
	st := s.streams[id]
	if st == nil || len(st.window) == 0 {
		return nil, fault.New(fault.StreamNotFound, "find stream", "no such stream, or no segment of it yet")
	}
	return st, nil
}

// bandwidth returns the variant's highest and mean bit rate over the window, in
// bits/s; what was asked for when nothing can be measured.
func (st *stream) bandwidth(variant int) (peak, mean int64) {
	var bits, seconds float64
	for _, e := range st.window {
		if e.duration <= 0 {
			continue
		}
		n, d := float64(len(e.data[variant]))*8, e.duration.Seconds()
		peak = max(peak, int64(math.Ceil(n/d)))
		bits, seconds = bits+n, seconds+d
	}
	if seconds == 0 {
		asked := int64(max(1, st.variants[variant].Bitrate))
		return asked, asked
	}
	return max(1, peak), max(1, int64(math.Ceil(bits/seconds)))
}

// Media writes the playlist of one variant. Its references are relative to
// /stream/<id>/<key>.m3u8. Errors are faults StreamNotFound, RenditionNotFound
// and PlaylistFormat.
func (s *Store) Media(id core.ManifestID, key string, now time.Time) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st, err := s.playable(id)
	if err != nil {
		return nil, err
	}
	v, err := st.variant(key)
	if err != nil {
		return nil, err
	}
	if f := st.variants[v].Format; f != core.FormatMPEGTS {
		return nil, fault.New(fault.PlaylistFormat, "write playlist",
			"the segments are whole MP4 files, which players cannot join")
	}
	st.watched = now
	return st.media(s.listed(st, now), key), nil
}

// media lists the last segments of the window.
func (st *stream) media(listed int, key string) []byte {
	skip := max(0, len(st.window)-listed)
	discontinuities := st.discontinuities
	for _, e := range st.window[:skip] {
		if e.discontinuity {
			discontinuities++
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:%d\n#EXT-X-MEDIA-SEQUENCE:%d\n",
		int(target(st.target).Seconds()), st.first+int64(skip))
	if discontinuities > 0 {
		fmt.Fprintf(&b, "#EXT-X-DISCONTINUITY-SEQUENCE:%d\n", discontinuities)
	}
	b.WriteString("#EXT-X-INDEPENDENT-SEGMENTS\n")
	for i, e := range st.window[skip:] {
		if e.discontinuity {
			b.WriteString("#EXT-X-DISCONTINUITY\n")
		}
		if i == 0 || e.discontinuity {
			fmt.Fprintf(&b, "#EXT-X-PROGRAM-DATE-TIME:%s\n", e.at.UTC().Format(dateFormat))
		}
		fmt.Fprintf(&b, "#EXTINF:%.3f,\n%s/%s.ts\n", e.duration.Seconds(), key, e.name)
	}
	if st.ended {
		b.WriteString("#EXT-X-ENDLIST\n")
	}
	return b.Bytes()
}

func (st *stream) variant(key string) (int, error) {
	for i, v := range st.variants {
		if v.Key == key {
			return i, nil
		}
	}
	return 0, fault.New(fault.RenditionNotFound, "find rendition", "the stream has no such rendition")
}

// File returns one segment's file; the caller only reads it. name is without
// its extension. Errors are faults StreamNotFound, RenditionNotFound and
// StreamSegmentNotFound.
func (s *Store) File(id core.ManifestID, key, name string, format core.Format) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st, err := s.playable(id)
	if err != nil {
		return nil, err
	}
	v, err := st.variant(key)
	if err != nil {
		return nil, err
	}
	if st.variants[v].Format == format {
		for _, e := range st.window {
			if e.name == name {
				return e.data[v], nil
			}
		}
	}
	return nil, fault.New(fault.StreamSegmentNotFound, "find segment", "not in the stream's window")
}

// SourceKey names the source among a stream's variants.
const SourceKey = "source"

// Keys makes profile names fit for URLs: letters, digits and -_. stay, anything
// else becomes _, and names that are taken, as "source" is, get a number.
func Keys(names []string) []string {
	taken := map[string]bool{SourceKey: true}
	out := make([]string, len(names))
	for i, name := range names {
		key := strings.Map(urlSafe, name)
		if strings.Trim(key, ".") == "" {
			key = fmt.Sprintf("rendition%d", i)
		}
		unique := key
		for n := 2; taken[unique]; n++ {
			unique = fmt.Sprintf("%s_%d", key, n)
		}
		taken[unique] = true
		out[i] = unique
	}
	return out
}

func urlSafe(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r) {
		return r
	}
	return '_'
}
