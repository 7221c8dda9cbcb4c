package adminview

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/admin"
)

// listTime bounds what the answer of /status waits for a list of orchestrators.
const listTime = 2 * time.Second

// Status returns the state of the moment, as the existing node's tools read it.
func (s statusSource) Status() admin.Status {
	out := admin.Status{Version: process.Version, LocalTranscoding: s.p.Config.Roles.Transcoder}
	s.streams(&out)
	s.pool(&out)
	s.transcoders(&out)
	s.prices(&out)
	return out
}

// oldPlaylist is a stream's master playlist.
type oldPlaylist struct{ Variants []oldVariant }

type oldVariant struct{ Name, URI string }

func (s statusSource) streams(out *admin.Status) {
	if s.p.Gateway == nil {
		return
	}
	out.Manifests, out.InternalManifests = map[string]any{}, map[string]string{}
	out.StreamInfo = map[string]admin.StreamInfo{}
	for _, live := range s.p.Gateway.Server.Live() {
		list := oldPlaylist{Variants: []oldVariant{}}
		for _, name := range live.Renditions {
			list.Variants = append(list.Variants, oldVariant{Name: name, URI: live.ID + "/" + name + ".m3u8"})
		}
		out.Manifests[live.ID], out.InternalManifests[live.ID] = list, live.ID
		out.StreamInfo[live.ID] = admin.StreamInfo{
			SourceBytes: uint64(live.SourceBytes), TranscodedBytes: uint64(live.RenditionBytes),
		}
	}
}

// pool is a gateway's orchestrators; on other nodes it is what -orchAddr names.
func (s statusSource) pool(out *admin.Status) {
	if s.p.Gateway == nil {
		for _, o := range s.p.Config.Addresses.Orchestrators {
			out.OrchestratorPool = append(out.OrchestratorPool, o.String())
		}
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), listTime)
	defer cancel()
	for _, o := range s.p.Gateway.Server.Pool(ctx) {
		out.OrchestratorPool = append(out.OrchestratorPool, o.URI)
		out.OrchestratorPoolInfos = append(out.OrchestratorPoolInfos,
			admin.PoolInfo{URL: o.URI, Score: o.Score, Latency: o.Latency})
	}
}

// transcoders are those on other machines.
func (s statusSource) transcoders(out *admin.Status) {
	all := workers(s.p)
	if all == nil {
		return
	}
	for _, w := range all.Workers() {
		if w.Remote && w.Kind == "transcoder" {
			out.RegisteredTranscoders = append(out.RegisteredTranscoders,
				admin.TranscoderInfo{Address: w.Address, Capacity: w.Limit})
		}
	}
	out.RegisteredTranscodersNumber = len(out.RegisteredTranscoders)
}

// prices are those of transcoding, by the gateway that pays them.
func (s statusSource) prices(out *admin.Status) {
	if s.p.Book() == nil {
		return
	}
	out.BroadcasterPrices = map[string]string{}
	for _, p := range s.p.Book().List() {
		if p.Model != (inference.Model{}) || p.Wei == nil {
			continue
		}
		name := "default"
		if p.Gateway != (core.Address{}) {
			name = p.Gateway.String()
		}
		out.BroadcasterPrices[name] = p.Wei.RatString()
	}
}
