package gateway

import (
	"time"

	"github.com/tuttinode/tutti/core"
)

// currentName is the name under which Options.CurrentPlaylist serves a stream. Its master playlist names the files
// of the stream itself.
const currentName core.ManifestID = "current"

// current is the stream that began last, unless a stream has that name itself.
func (g *Gateway) current() core.ManifestID {
	g.mu.Lock()
	defer g.mu.Unlock()
	found, since := currentName, time.Time{}
	for _, s := range g.streams {
		switch {
		case s.id == currentName:
			return currentName
		case s.since.After(since) || s.since.Equal(since) && s.id < found:
			found, since = s.id, s.since
		}
	}
	return found
}
