package gateway

import (
	"github.com/tuttinode/tutti/server/gateway/hls"
	"github.com/tuttinode/tutti/server/gateway/verify"
)

// describe inspects the first segment after a change and updates the playlists with the real sizes:
// the renditions keep the source's aspect ratio, so they may differ from the requested ones.
func (g *Gateway) describe(p *push, renditions [][]byte) {
	if p.input.noFrame() || !p.stream.describeNow() {
		return
	}
	g.windows.Describe(p.stream.id, func(i int, v *hls.Variant) {
		switch {
		case i == 0 && p.input.Width > 0:
			v.Width, v.Height, v.FPS, v.Codecs = p.input.Width, p.input.Height, p.input.FPS, p.input.Codecs
		case i > 0 && i <= len(renditions):
			h := verify.SniffSegment(renditions[i-1])
			v.Codecs = h.Codecs
			if h.Width > 0 {
				v.Width, v.Height = h.Width, h.Height
			}
			if h.FPS > 0 {
				v.FPS = h.FPS
			}
		}
	})
}
