package gateway

import "time"

// LiveStream is a summary of one stream for the operator.
type LiveStream struct {
	ID string
	// Orchestrator is the last one that got a segment of it.
	Orchestrator string
	Renditions   []string
	// PixelsPerSecond is the requested output rate, 0 where the source's frame rate is unknown.
	PixelsPerSecond int64
	// Ratio is the processing time of its last segments divided by their playing time.
	Ratio            float64
	Segments, Failed int64
	// SourceBytes came from the client, RenditionBytes are those of the renditions.
	SourceBytes, RenditionBytes int64
	LastCode                    string
	// MovedCode is why it last changed its orchestrator, "" when it never did.
	MovedCode   string
	Since, Last time.Time
}

// recentSegments is how many segments Ratio covers.
const recentSegments = 5

// Live returns the streams that are admitted, in no order.
func (g *Gateway) Live() []LiveStream {
	streams := g.liveStreams()
	out := make([]LiveStream, 0, len(streams))
	for _, s := range streams {
		out = append(out, s.short())
	}
	return out
}

// StreamCapacity returns the number of streams, and their limit.
func (g *Gateway) StreamCapacity() (streams, limit int) {
	return len(g.liveStreams()), g.opt.Limits.Streams
}

func (s *stream) short() LiveStream {
	out := LiveStream{ID: string(s.id), Since: s.since}
	s.mu.Lock()
	out.Last = s.lastSeen
	var fps float64
	if s.last != nil {
		fps = s.last.FPS
	}
	for i := range s.profiles {
		p := &s.profiles[i]
		out.Renditions = append(out.Renditions, p.Name)
		pace := fps
		if num, den := p.FPS.Norm(); !p.FPS.Passthrough() && den > 0 {
			pace = float64(num) / float64(den)
		}
		out.PixelsPerSecond += int64(float64(p.Width) * float64(p.Height) * pace)
	}
	s.mu.Unlock()
	f := &s.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	out.Segments, out.Failed, out.LastCode, out.MovedCode = f.segments, f.failed, f.lastCode, f.movedCode
	out.SourceBytes, out.RenditionBytes = f.sourceBytes, f.renditionBytes
	var took, played float64
	for _, seg := range f.recent[max(0, len(f.recent)-recentSegments):] {
		if seg.Orchestrator != "" {
			out.Orchestrator = seg.Orchestrator
		}
		if seg.Code == "" {
			took += seg.WallMs / 1000
			played += seg.SourceSeconds
		}
	}
	if played > 0 {
		out.Ratio = took / played
	}
	return out
}
