package gateway

import (
	"time"

	"github.com/tuttinode/tutti/core/fetchurl"
	"github.com/tuttinode/tutti/server/gateway/ingest"
	"github.com/tuttinode/tutti/server/gateway/live"
)

// addPublishing adds the ports by which encoders publish streams. video is nil without live video.
func (p *Part) addPublishing(video *live.Server) {
	c := &p.Config.Gateway.Publish
	in := ingest.New(ingest.Options{Gateway: p.Server, Live: video, Log: p.Log, Now: time.Now})
	p.Add(ingest.NewRTMP(ingest.RTMPOptions{Addr: p.Config.Addresses.RTMPListen.Addr(),
		AwaitPort: !c.RTMPGiven || p.upgrading(), Ingest: in, Log: p.Log}))
	if c.SRT.Port != 0 {
		p.Add(ingest.NewSRT(ingest.SRTOptions{Addr: c.SRT.Addr(), AwaitPort: p.upgrading(), Ingest: in, Log: p.Log}))
	}
}

// restream sends results of live video to RTMP servers.
func (p *Part) restream() live.Restream {
	return ingest.RTMPOutputs{Networks: fetchurl.Networks(p.Config.Gateway.Publish.OutputNetworks)}.Open
}
