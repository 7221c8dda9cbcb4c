// Package hls keeps a window of each live stream in memory and writes the
// playlists by which players find it.
//
// Its limits are counts and bytes, per stream and in total. It knows nothing of
// HTTP or of how segments come about; server/gateway is its caller.
package hls
