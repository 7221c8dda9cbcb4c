// Package gateway is the node's side towards those who have video and those who
// watch it: clients push segments and get renditions back, players find the
// streams by HLS, the operator's page reads figures.
//
// A stream is a manifest ID. Its segments go to one orchestrator after another
// as core/videorouting decides, through the package upstream; what comes back is kept
// for players by the package hls. The gateway decodes nothing: it reads headers
// (package sniff) and asks a media worker through MediaProbe where those do not
// tell enough.
//
// cmd/tutti makes it and runs it as a lifecycle component.
package gateway
