// Package gateway is the node's side towards encoders and players: clients push segments and get
// renditions back, players read the streams by HLS, the operator's page reads statistics.
//
// A stream is a manifest ID. Its segments go to orchestrators as core/videorouting decides, through
// the package upstream; the package hls keeps the results for players. The gateway decodes nothing:
// it reads headers (package verify) and asks a media worker through MediaProbe if those are not
// enough.
//
// cmd/tutti makes it and runs it as a lifecycle component.
package gateway
