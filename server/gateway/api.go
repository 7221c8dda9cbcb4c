package gateway

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/server/gateway/hls"
	"github.com/tuttinode/tutti/server/status"
)

// StreamsReply is the JSON of GET /api/streams.
type StreamsReply struct {
	Streams []StreamReply `json:"streams"`
}

// StreamReply describes one live stream.
type StreamReply struct {
	ID string `json:"id"`
	// Playlist is the master playlist's path.
	Playlist string    `json:"playlist"`
	Since    time.Time `json:"since"`
	// LastSegment is when the last segment came or was finished.
	LastSegment time.Time   `json:"lastSegment"`
	Source      SourceReply `json:"source"`
	// Renditions are in profile order.
	Renditions []RenditionReply `json:"renditions"`
	// Orchestrator did the last finished segment.
	Orchestrator string `json:"orchestrator,omitempty"`
	// InFlight, Finished and Failed count segments.
	InFlight int   `json:"inFlight"`
	Finished int64 `json:"finished"`
	Failed   int64 `json:"failed"`
	// LastCode is the code of the last failure, "" when there was none.
	LastCode string `json:"lastCode,omitempty"`
	// Segments are the latest ones, oldest first.
	Segments []SegmentStats `json:"segments"`
}

// SourceReply describes a stream's source, as far as known.
type SourceReply struct {
	Playlist   string  `json:"playlist"`
	Video      string  `json:"video,omitempty"`
	Audio      string  `json:"audio,omitempty"`
	Width      int     `json:"width,omitempty"`
	Height     int     `json:"height,omitempty"`
	FPS        float64 `json:"fps,omitempty"`
	Unplayable bool    `json:"unplayable,omitempty"`
}

// RenditionReply describes one rendition as it was requested.
type RenditionReply struct {
	Name     string `json:"name"`
	Playlist string `json:"playlist"`
	Width    int    `json:"width"`
	Height   int    `json:"height"`
	Bitrate  int    `json:"bitrate"`
	// Unplayable: MP4 files, which HLS players cannot join.
	Unplayable bool `json:"unplayable,omitempty"`
}

// smallList is the size in bytes of a list of streams that fits into a connection's buffers.
const smallList = 16 << 10

// serveStreams lists the live streams.
func (g *Gateway) serveStreams(w http.ResponseWriter, r *http.Request) {
	keyed, err := g.opt.Access.Streams(r)
	if err != nil {
		refuse(w, r, status.HTTP(err), err)
		return
	}
	reply := StreamsReply{Streams: []StreamReply{}}
	for _, s := range g.liveStreams() {
		one := s.reply()
		if keyed {
			g.signAll(&one)
		}
		reply.Streams = append(reply.Streams, one)
	}
	slices.SortFunc(reply.Streams, func(a, b StreamReply) int { return cmp.Compare(a.ID, b.ID) })
	data, err := json.Marshal(reply)
	if err != nil {
		http.Error(w, "Internal Server Error", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "application/json")
	data = append(data, '\n')
	h.Set("Content-Length", strconv.Itoa(len(data)))
	if len(data) <= smallList {
		_, _ = w.Write(data)
		return
	}
	// Slow readers keep a large list in memory.
	g.sendFile(g.deadlineWriter(w), r, data)
}

// liveStreams returns the streams that have not ended.
func (g *Gateway) liveStreams() []*stream {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Collect(maps.Values(g.streams))
}

func (s *stream) reply() StreamReply {
	base := "/stream/" + string(s.id)
	r := StreamReply{ID: string(s.id), Playlist: base + ".m3u8", Since: s.since.UTC(), Renditions: []RenditionReply{}}
	s.mu.Lock()
	r.LastSegment, r.InFlight = s.lastSeen.UTC(), s.inFlight
	r.Source.Playlist = base + "/" + hls.SourceKey + ".m3u8"
	if in := s.last; in != nil {
		r.Source.Video, r.Source.Audio, r.Source.FPS = in.VideoCodec, in.AudioCodec, in.FPS
		r.Source.Width, r.Source.Height = in.Width, in.Height
	}
	for i, p := range s.profiles {
		unplayable := p.Format.Ext() != ".ts"
		r.Source.Unplayable = unplayable
		r.Renditions = append(r.Renditions, RenditionReply{
			Name: p.Name, Playlist: base + "/" + s.keys[i] + ".m3u8",
			Width: p.Width, Height: p.Height, Bitrate: p.Bitrate, Unplayable: unplayable,
		})
	}
	s.mu.Unlock()
	f := &s.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	r.Segments = append([]SegmentStats{}, f.recent...)
	r.Finished, r.Failed, r.LastCode = f.segments-f.failed, f.failed, f.lastCode
	for _, seg := range slices.Backward(f.recent) {
		if seg.Code == "" && seg.Orchestrator != "" {
			r.Orchestrator = seg.Orchestrator
			break
		}
	}
	return r
}
