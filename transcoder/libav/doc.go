// Package libav is the media engine: it decodes a segment once and gives all its
// renditions, in memory on both sides, with FFmpeg's libraries linked in.
//
// It keeps no media state between segments, so segments may come in any order.
// It is run inside a media-worker process (transcoder/worker), never in the
// process that holds keys: what it reads is hostile. Placement, deadlines and
// retries are not its business (transcoder/pool).
//
// It is the only package that imports go-astiav. What that lacks is in shim.c.
package libav
